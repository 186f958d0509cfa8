package io.jenkins.plugins.compressionaware.agent;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Makes jars of what agents need of this plugin's class path, so that they need not fetch whole libraries. They are kept in memory: a temporary folder is
 * emptied by age while this JVM lives, and whoever may write there could put a jar of the same name in their place.
 */
final class LeanJar {
    private LeanJar() {}

    /**
     * A jar with these resources, whose URL names no file. What another version of a library does not have is left out.
     *
     * @param name for the agent, without an end
     */
    static URL of(String name, Collection<String> resources) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            jar.setLevel(Deflater.BEST_COMPRESSION);
            for (String resource : resources) {
                add(resource, jar);
            }
        }
        // remoting reads it here; on the agent, which must know the protocol, the URL is no more than a name
        return new URL(null, "file:/" + name + ".jar", new InMemory(bytes.toByteArray()));
    }

    private static final class InMemory extends URLStreamHandler {
        private final byte[] bytes;

        InMemory(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {
                    // it is here
                }

                @Override
                public InputStream getInputStream() {
                    return new ByteArrayInputStream(bytes);
                }
            };
        }
    }

    private static void add(String name, JarOutputStream jar) throws IOException {
        try (InputStream in = LeanJar.class.getClassLoader().getResourceAsStream(name)) {
            if (in != null) {
                jar.putNextEntry(new JarEntry(name));
                in.transferTo(jar);
            }
        }
    }

    /**
     * Resources of this plugin's classes.
     *
     * @param beginnings of their names, without that of the root package
     */
    static List<String> own(List<String> beginnings) throws IOException {
        Path place = place();
        if (Files.isDirectory(place)) { // a development build
            return own(beginnings, place);
        }
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
            return own(beginnings, jar.getPath("/"));
        }
    }

    private static Path place() throws IOException {
        try {
            return Path.of(LeanJar.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException | RuntimeException e) {
            throw new IOException("Cannot tell where this plugin's classes are", e);
        }
    }

    private static List<String> own(List<String> beginnings, Path root) throws IOException {
        String base = LeanJar.class.getPackageName().replace('.', '/').replaceAll("agent$", "");
        try (Stream<Path> files = Files.walk(root.resolve(base))) {
            return files.map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".class"))
                    .filter(name -> beginnings.stream().anyMatch(own -> name.startsWith(base + own)))
                    .toList();
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
