package io.jenkins.plugins.compressionaware.signatures;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.tree.ClassNode;

class RoundTripTest {
    private static final String SOURCE = """
            package api;
            import java.io.IOException;
            import java.lang.annotation.*;
            import java.util.*;
            public abstract class Everything<T extends Comparable<? super T>> extends AbstractList<T> implements Cloneable {
                public static final int NUMBER = -5;
                protected static final long BIG = 1L << 40;
                static final char LETTER = ',';
                public static final boolean FLAG = true;
                public static final double HALF = 0.5;
                public static final float NONE = Float.NaN;
                public static final String TEXT = "quote \\" brace } comma, \\u00e9 \\n";
                public transient volatile List<T> list;
                protected Everything(T first, String... more) throws IOException {}
                @Deprecated public abstract <X extends Exception> T get(Class<X> kind, int[][] numbers) throws X, IOException;
                public final synchronized void deprecated() {}
                native static Map.Entry<String, ? extends Number> entry();
                public enum Kind { ONE, TWO { @Override void act() {} }; void act() {} }
                protected static class Inner { public class Deeper {} }
                public record Pair(int a, String b) {}
                interface Shape { int area(); default int twice() { return 2 * area(); } static Shape of() { return null; } }
                @Documented @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.TYPE, ElementType.METHOD}) @Inherited
                public @interface Mark {
                    String value() default "a=b, (c)";
                    int[] numbers() default {1, -2};
                    byte small() default 3;
                    Class<?> type() default int.class;
                    Kind[] kinds() default {Kind.ONE, Kind.TWO};
                    Nested nested() default @Nested(id = 7, names = {"x", "y"});
                    Nested[] none() default {};
                }
                public @interface Nested { long id(); String[] names(); }
            }
            """;

    @TempDir
    Path directory;

    @Test
    void textAndStubsSayWhatTheClassesSay() throws IOException {
        List<ClassNode> real = parse(Javac.compile(directory, Map.of("api/Everything", SOURCE)));
        List<String> text = text(real);

        List<ClassNode> read = SignatureReader.read(text);
        assertEquals(lines(text), lines(text(read)));

        Path stubs = directory.resolve("stubs");
        new Stubs(read).write(stubs);
        assertEquals(lines(text), lines(text(parse(stubs))));
    }

    private static List<ClassNode> parse(Path classes) throws IOException {
        List<ClassNode> types = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(f -> !f.toString().contains("$1"))
                    .sorted()
                    .toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    types.add(ClassPath.parse(in));
                }
            }
        }
        return types;
    }

    private static List<String> text(List<ClassNode> types) {
        return types.stream()
                .flatMap(type -> SignatureWriter.write(type).stream())
                .toList();
    }

    private static String lines(List<String> text) {
        return String.join("\n", text);
    }
}
