package io.jenkins.plugins.compressionaware.agent;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.Deflater;

/** Makes jars of what agents need of this plugin's class path, so that they need not fetch whole libraries. */
final class LeanJar {
    private LeanJar() {}

    /**
     * A temporary file with these resources. What another version of a library does not have is left out.
     *
     * @param name of the file, without an end
     */
    static URL of(String name, Collection<String> resources) throws IOException {
        Path jar = Files.createTempFile(name, ".jar");
        jar.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            entries.setLevel(Deflater.BEST_COMPRESSION);
            for (String resource : resources) {
                add(resource, entries);
            }
        }
        return jar.toUri().toURL();
    }

    private static void add(String name, JarOutputStream jar) throws IOException {
        try (InputStream in = LeanJar.class.getClassLoader().getResourceAsStream(name)) {
            if (in != null) {
                jar.putNextEntry(new JarEntry(name));
                in.transferTo(jar);
            }
        }
    }

    /** The resources of classes whose names are in a file beside this class, one per line. */
    static List<String> listed(String file) throws IOException {
        try (InputStream in = LeanJar.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new FileNotFoundException(file);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(name -> name.replace('.', '/') + ".class")
                    .toList();
        }
    }
}
