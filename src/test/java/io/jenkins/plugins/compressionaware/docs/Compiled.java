package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles Java from a page, and loads it in preference to the test's classes of the same names. */
final class Compiled {
    private Compiled() {}

    /** Compiles all files of a folder into the same folder. */
    static URLClassLoader folder(Path sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                var list = Files.list(sources)) {
            List<Path> all =
                    list.filter(file -> file.toString().endsWith(".java")).toList();
            List<String> options =
                    List.of("-d", sources.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none");
            boolean done = compiler.getTask(
                            messages, files, null, options, null, files.getJavaFileObjectsFromPaths(all))
                    .call();
            assertTrue(done, messages.toString());
        }
        List<URL> urls = new ArrayList<>(List.of(url(sources)));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(url(Path.of(entry)));
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path entry) throws MalformedURLException {
        return entry.toUri().toURL();
    }
}
