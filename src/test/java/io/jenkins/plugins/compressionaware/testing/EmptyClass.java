package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Classes of the same names as the plugin's, but without members, for the class path of an agent. */
public final class EmptyClass {
    private EmptyClass() {}

    /** Compiles a class, and returns the option with which a JVM prefers it. */
    public static String preferredTo(Class<?> original, Path folder) throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Path source = Files.writeString(
                folder.resolve(original.getSimpleName() + ".java"),
                "package " + original.getPackageName() + "; public class " + original.getSimpleName() + " {}");
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-d", classes.toString(), source.toString());
        assertEquals(0, result);
        return "-Xbootclasspath/a:" + classes;
    }
}
