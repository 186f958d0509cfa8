package io.jenkins.plugins.compressionaware.signatures;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.tree.ClassNode;

/** Writes the signature file anew from the real classes. */
public final class Regenerate {
    private Regenerate() {}

    /**
     * The class path of this program itself tells what needs no signature: the libraries that the API-only jar brings.
     *
     * @param args the signature file, a file with the real class path, the compiled plugin classes, then its source directories
     */
    public static void main(String[] args) throws IOException {
        References references = new References();
        references.scanClasses(Path.of(args[2]));
        for (String sources : List.of(args).subList(3, args.length)) {
            references.scanSources(Path.of(sources));
        }
        ClassLoader libraries = Regenerate.class.getClassLoader();
        try (URLClassLoader real = new URLClassLoader(urls(Path.of(args[1])), ClassLoader.getPlatformClassLoader())) {
            Selection selection = new Selection(
                    references, new ClassPath(real), name -> libraries.getResource(name + ".class") != null);
            List<String> lines = new ArrayList<>(head());
            for (ClassNode type : selection.select()) {
                lines.add("");
                lines.addAll(SignatureWriter.write(type));
            }
            if (!selection.missing.isEmpty()) {
                throw new IllegalStateException("not on the class path: " + selection.missing);
            }
            Files.write(Path.of(args[0]), lines);
        }
    }

    private static List<String> head() throws IOException {
        try (InputStream in = Regenerate.class.getResourceAsStream("head.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static URL[] urls(Path classPath) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : Files.readString(classPath).strip().split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
