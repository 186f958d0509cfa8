package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commits to an archive with earlier files. */
@Timeout(60)
abstract class CommitTestBase {
    @TempDir
    Path tmp;

    Path build;
    Path archive;
    Map<String, String> earlier;

    @BeforeEach
    void prepare() throws Exception {
        build = Files.createDirectory(tmp.resolve("build")).toRealPath();
        archive = build.resolve("archive");
        write(archive, "kept", "one");
        write(archive, "d/kept", "one");
        write(archive, "e/kept", "one");
        write(archive, "d/replaced", "one");
        write(archive, "d/e/replaced too", "one");
        Files.createSymbolicLink(archive.resolve("d/link"), Path.of("replaced"));
        earlier = FileTrees.describe(archive);
    }

    static void fill(Path staged) throws IOException {
        write(staged, "new", "second");
        write(staged, "f/g/new", "second");
        write(staged, "d/replaced", "second");
        write(staged, "d/e/replaced too", "second");
        Files.createSymbolicLink(staged.resolve("d/link"), Path.of("kept"));
        Files.createSymbolicLink(staged.resolve("new link"), Path.of("new"));
    }

    Map<String, String> later() throws IOException {
        Path staged = Files.createDirectory(tmp.resolve("later"));
        fill(staged);
        Map<String, String> later = new TreeMap<>(earlier);
        later.putAll(FileTrees.describe(staged));
        return later;
    }

    static void commit(Path archive, FileOperations files) throws IOException, InterruptedException {
        try (StagedArchive staged = new StagedArchive(StagedArchive.real(archive), null, files)) {
            fill(staged.folder());
            staged.commit();
        }
    }

    static void write(Path root, String name, String content) {
        Path file = root.resolve(name);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
            // equal times, because tests compare them
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void assertOnlyTheArchive() throws IOException {
        assertEquals(List.of("archive"), list(build));
    }
}
