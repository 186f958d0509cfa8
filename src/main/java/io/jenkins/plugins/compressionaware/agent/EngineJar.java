package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.Which;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The classes that the engine needs on an agent, in one small jar, which is sent ahead. What is missing in it an agent asks for, class by class, and
 * then gets the whole jar of its library: 1.8 MB for commons-compress and commons-lang3.
 */
final class EngineJar {
    /** Rooms whose classes all go in it, and classes of this one. */
    private static final List<String> OWN = List.of(
            "adapt/",
            "codec/",
            "send/",
            "tar/TarPacker",
            "tar/TarSink",
            "transfer/",
            "agent/AgentFacts",
            "agent/AskAgent",
            "agent/HeadStart",
            "agent/Host",
            "agent/LoadCodecs",
            "agent/RoundTrip",
            "agent/SendFiles",
            "agent/Selection",
            "agent/TotalSize");

    /** Names of classes, one per line: those that {@code EngineJarTest} sees on an agent. */
    private static final String LIBRARIES = "engine-libraries.txt";

    private static URL made;

    private EngineJar() {}

    /** Where it is; it is made once per JVM. */
    static synchronized URL url() throws IOException {
        if (made == null) {
            TreeSet<String> names = new TreeSet<>(own(OWN));
            names.addAll(LeanJar.listed(LIBRARIES));
            made = LeanJar.of("artifact-transfer-engine", names);
        }
        return made;
    }

    /**
     * Resources of this plugin's classes.
     *
     * @param beginnings of their names, without that of the root package
     */
    static List<String> own(List<String> beginnings) throws IOException {
        File place = Which.jarFile(EngineJar.class);
        if (place.isDirectory()) { // a development build
            return own(beginnings, place.toPath());
        }
        try (FileSystem jar = FileSystems.newFileSystem(place.toPath())) {
            return own(beginnings, jar.getPath("/"));
        }
    }

    private static List<String> own(List<String> beginnings, Path root) throws IOException {
        String base = EngineJar.class.getPackageName().replace('.', '/').replaceAll("agent$", "");
        try (Stream<Path> files = Files.walk(root.resolve(base))) {
            return files.map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".class"))
                    .filter(name -> beginnings.stream().anyMatch(own -> name.startsWith(base + own)))
                    .toList();
        }
    }
}
