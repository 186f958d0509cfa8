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
 * Makes jars in memory from classes that agents need, so that agents do not load whole libraries. A temporary file could be deleted by age while this JVM
 * runs, or replaced by anyone who may write to its folder.
 */
final class InMemoryJar {
    private static final Pattern OWN = Pattern.compile("io/jenkins/plugins/compressionaware/[\\w/$]+");

    private InMemoryJar() {}

    /**
     * Returns the URL of a jar with these resources. Missing resources are skipped, because another version of a library may not have them.
     *
     * @param name name of the jar for the agent, without extension
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
        byte[] jar = bytes.toByteArray();
        // remoting reads the jar on the controller; the agent only needs a URL whose protocol it supports
        return new URL(null, "file:/" + name + ".jar", new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {
                        // already in memory
                    }

                    @Override
                    public InputStream getInputStream() {
                        return new ByteArrayInputStream(jar);
                    }
                };
            }
        });
    }

    /** Returns the resources of these classes and of all classes of this plugin that they refer to, directly or indirectly. */
    static Set<String> closure(Collection<Class<?>> classes) throws IOException {
        Set<String> found = new HashSet<>();
        Deque<String> left = new ArrayDeque<>();
        classes.forEach(type -> left.add(type.getName().replace('.', '/')));
        while (!left.isEmpty()) {
            String name = left.remove() + ".class";
            byte[] bytes = found.contains(name) ? null : bytes(name);
            if (bytes != null) {
                found.add(name);
                // in a class file, the byte after a name never matches the pattern
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

    /** Returns the resources of the classes listed in a file beside this class, one per line. */
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
