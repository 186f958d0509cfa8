package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** A folder such as a build leaves behind, made of files of this machine: packed, binary and text. */
final class SampleWorkspace {
    private static final long MEGABYTE = 1_000_000;
    private static final Predicate<String> TEXT =
            name -> !name.matches(".*\\.(gz|xz|bz2|zip|jar|png|jpg|gif|ico|pyc|so|a|o|class|pdf|woff2?)");
    private static final int BUILDS = 8;
    private static final Path SYSTEM = Path.of("/usr");

    private final Path folder;
    private final Path java = Path.of(System.getProperty("java.home"));
    private final List<String> parts = new ArrayList<>();

    SampleWorkspace(Path folder) {
        this.folder = folder;
    }

    /** Fills the folder and returns what it consists of, one line per part. */
    List<String> fill(Optional<Path> project, Optional<Path> repository) throws IOException {
        FileCollector jars = new FileCollector(folder.resolve("jars"), 120 * MEGABYTE);
        if (repository.isPresent()) {
            jars.addFrom(repository.get(), name -> name.endsWith(".jar"));
        }
        describe("jars of the local Maven repository", jars);
        describe(
                "module archives of the JDK",
                new FileCollector(folder.resolve("modules"), Math.max(0, jars.left()))
                        .addFrom(java.resolve("jmods"), name -> true));
        describe(
                "native libraries of the JDK",
                new FileCollector(folder.resolve("native"), 40 * MEGABYTE)
                        .addFrom(java.resolve("lib"), name -> name.matches(".*\\.(so|dylib|dll)")));
        FileCollector own = new FileCollector(folder.resolve("project"), 10 * MEGABYTE);
        if (project.isPresent()) {
            own.addFrom(project.get(), TEXT);
        }
        describe("sources and texts of this project", own);
        FileCollector sources =
                new FileCollector(folder.resolve("sources"), 70 * MEGABYTE).addZip(java.resolve("lib/src.zip"));
        describe("sources of the JDK", sources);
        describe(
                "texts, headers and scripts of the JDK and the system",
                new FileCollector(folder.resolve("texts"), Math.max(0, sources.left()))
                        .addFrom(java.resolve("legal"), TEXT)
                        .addFrom(SYSTEM.resolve("include"), TEXT)
                        .addFrom(SYSTEM.resolve("lib/python3"), TEXT)
                        .addFrom(SYSTEM.resolve("share/perl"), TEXT)
                        .addFrom(SYSTEM.resolve("share/doc"), TEXT));
        Path logs = folder.resolve("logs");
        new LogFiles(Listing.of(folder)).write(logs, BUILDS);
        Listing written = Listing.of(logs);
        describe("log files about the files above", written.names().size(), written.bytes());
        addLinkAndEmptyFolder();
        return parts;
    }

    private void addLinkAndEmptyFolder() throws IOException {
        Files.createDirectories(folder.resolve("reports/empty"));
        try {
            Files.createSymbolicLink(folder.resolve("latest.log"), Path.of("logs", "build-1.log"));
        } catch (UnsupportedOperationException e) {
            // a sample without a link will do
        }
    }

    private void describe(String what, FileCollector part) {
        describe(what, part.files(), part.bytes());
    }

    private void describe(String what, int files, long bytes) {
        if (files > 0) {
            parts.add(String.format(
                    Locale.ROOT, "%6.1f MB in %,6d files: %s", bytes / (double) MEGABYTE, files, what));
        }
    }
}
