package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/**
 * Makes jars of the classes that agents need from this plugin's class path, so that they need not fetch whole libraries. The jars are kept in memory: a
 * temporary folder is emptied by age while this JVM lives, and anyone who may write there could replace them.
 */
final class InMemoryJar {
    private static final Pattern OWN = Pattern.compile("io/jenkins/plugins/compressionaware/[\\w/$]+");

    private InMemoryJar() {}

    /**
     * The URL, which names no file, of a jar with these resources. Classes that another version of a library does not have are left out.
     *
     * @param name for the agent, without an extension
     */
    static URL of(String name, Collection<String> resources) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            jar.setLevel(Deflater.BEST_COMPRESSION);
            for (String resource : resources) {
                byte[] content = bytes(resource);
                if (content != null) {
                    jar.putNextEntry(new JarEntry(resource));
                    jar.write(content);
                }
            }
        }
        // remoting reads it here; on the agent, which must know the protocol, the URL is only a name
        return new URL(null, "file:/" + name + ".jar", new Handler(bytes.toByteArray()));
    }

    private static final class Handler extends URLStreamHandler {
        private final byte[] bytes;

        Handler(byte[] bytes) {
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

    /** The resources of these classes and of all classes of this plugin to which they refer, directly or not. */
    static Set<String> closure(Collection<Class<?>> classes) throws IOException {
        Set<String> found = new HashSet<>();
        Deque<String> left = new ArrayDeque<>();
        classes.forEach(type -> left.add(type.getName().replace('.', '/')));
        while (!left.isEmpty()) {
            String name = left.remove() + ".class";
            byte[] bytes = found.contains(name) ? null : bytes(name);
            if (bytes != null) {
                found.add(name);
                // in a class file no byte after a name could be part of it
                OWN.matcher(new String(bytes, StandardCharsets.ISO_8859_1))
                        .results()
                        .forEach(other -> left.add(other.group()));
            }
        }
        return found;
    }

    @CheckForNull
    private static byte[] bytes(String resource) throws IOException {
        try (InputStream in = InMemoryJar.class.getClassLoader().getResourceAsStream(resource)) {
            return in == null ? null : in.readAllBytes();
        }
    }

    /** The resources of classes whose names are in a file beside this class, one per line. */
    static List<String> listed(String file) throws IOException {
        try (InputStream in = InMemoryJar.class.getResourceAsStream(file)) {
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
