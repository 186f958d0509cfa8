package io.jenkins.plugins.compressionaware.signatures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.tree.ClassNode;

/** What is selected must be enough to compile the same classes, and to refuse what the real API refuses. */
class SelectionTest {
    private static final Map<String, String> API = Map.of(
            "api/Task",
            """
            package api;
            public abstract class Task<R> extends Base implements java.util.concurrent.Callable<R>, Comparable<Task<R>> {
                public static final String NAME = "task";
                protected Task(int size) {}
                public abstract R run(Helper helper) throws java.io.IOException;
                public final void stop() {}
                @Override public R call() { return null; }
                @Override public int compareTo(Task<R> other) { return 0; }
                public void unused(Unused unused) {}
                public static <T extends Limit> T limited(T limit) { return limit; }
            }
            """,
            "api/Base",
            """
            package api;
            @org.kohsuke.stapler.export.ExportedBean abstract class Base {
                public Helper helper() { return null; }
                protected abstract void prepare();
            }
            """,
            "api/Helper",
            """
            package api;
            public interface Helper extends AutoCloseable {
                interface Visitor<T> { void visit(T t); default void done() {} }
                void each(Visitor<? super String> visitor);
                @Override void close();
            }
            """,
            "api/Limit",
            "package api; public interface Limit {}",
            "api/Unused",
            "package api; public class Unused {}",
            "api/Mark",
            """
            package api;
            import java.lang.annotation.*;
            @Retention(RetentionPolicy.SOURCE) @Target(ElementType.TYPE)
            public @interface Mark { Class<? extends Limit> value(); int size() default Sizes.SMALL; }
            """,
            "api/Sizes",
            "package api; public interface Sizes { int SMALL = 1; int LARGE = 2; int OTHER = 3; }",
            "org/kohsuke/stapler/export/ExportedBean",
            """
            package org.kohsuke.stapler.export;
            @java.lang.annotation.Inherited public @interface ExportedBean {}
            """,
            "api/OnlyInJavadoc",
            "package api; public class OnlyInJavadoc {}");

    private static final String PLUGIN = """
            package plugin;
            import api.*;
            import static api.Sizes.LARGE;
            /** See {@link OnlyInJavadoc}. */
            @Mark(Limit.class)
            public class Mine extends Task<String> implements Limit {
                public Mine() { super(LARGE); }
                @Override protected void prepare() { limited(this).stop(); }
                @Override public String run(Helper helper) {
                    try (Helper h = helper()) {
                        h.each(System.out::println);
                        h.each(text -> System.out.println(NAME + text));
                    }
                    return call();
                }
            }
            """.replace(
                    "import api.*;",
                    "import api.Helper;\nimport api.Limit;\nimport api.Mark;\n"
                            + "import api.OnlyInJavadoc;\nimport api.Task;");

    @TempDir
    Path directory;

    private Path plugin;
    private List<ClassNode> selected;
    private Path stubs;

    @BeforeEach
    void select() throws IOException {
        Path api = Javac.compile(directory.resolve("api"), API);
        plugin = Javac.compile(directory.resolve("plugin"), Map.of("plugin/Mine", PLUGIN), api);
        References references = new References();
        references.scanClasses(plugin);
        references.scanSources(directory.resolve("plugin/src"));
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {api.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            Selection selection = new Selection(references, new ClassPath(loader), name -> name.startsWith("java/"));
            selected = new ArrayList<>(selection.select());
            assertTrue(selection.missing.isEmpty(), selection.missing::toString);
        }
        stubs = directory.resolve("stubs");
        new Stubs(selected).write(stubs);
    }

    @Test
    void theSameClassesComeOutOfTheStubs() throws IOException {
        Path again = Javac.compile(directory.resolve("again"), Map.of("plugin/Mine", PLUGIN), stubs);
        assertArrayEquals(
                Files.readAllBytes(plugin.resolve("plugin/Mine.class")),
                Files.readAllBytes(again.resolve("plugin/Mine.class")));
    }

    @Test
    void nothingIsSelectedThatNobodyNeeds() {
        List<String> lines = selected.stream()
                .flatMap(type -> SignatureWriter.write(type).stream())
                .toList();
        assertFalse(lines.toString().contains("nused"), lines::toString);
        assertFalse(lines.toString().contains("OTHER"), lines::toString);
    }

    @Test
    void anInheritedAnnotationStaysWhereItIsInheritedFrom() {
        ClassNode base = selected.stream()
                .filter(type -> type.name.equals("api/Base"))
                .findAny()
                .orElseThrow();
        assertTrue(SignatureWriter.header(base)
                .contains("  invisible annotation @Lorg/kohsuke/stapler/export/ExportedBean;"));
        assertTrue(selected.stream().anyMatch(type -> type.name.equals("org/kohsuke/stapler/export/ExportedBean")));
    }

    @Test
    void aMissingImplementationIsStillAnError() throws IOException {
        refused("prepare()", PLUGIN.replaceAll("@Override protected void prepare.*\n", ""));
        refused("run(", PLUGIN.replace("String run(Helper helper)", "String walk(Helper helper)"));
    }

    @Test
    void aForbiddenOverrideIsStillAnError() throws IOException {
        refused("weaker access", PLUGIN.replace("protected void prepare", "private void prepare"));
        refused("does not throw", PLUGIN.replace("run(Helper helper)", "run(Helper helper) throws Exception"));
    }

    private void refused(String reason, String source) throws IOException {
        String errors = Javac.errors(directory.resolve("refused"), Map.of("plugin/Mine", source), stubs);
        assertTrue(errors.contains(reason), "expected: " + reason + "; got: " + errors);
    }
}
