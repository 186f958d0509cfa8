package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash has left beside an archive. AllOrNothingTest has each moment of a commit. */
class LeftoversTest {
    private static final String NUMBER = "-314039af-ff04-4a9e-ace9-9b2fc29f0056";

    @TempDir
    Path build;

    private Path archive;

    @BeforeEach
    void prepare() {
        archive = build.resolve("archive");
    }

    @Test
    void thereMayBeNothing() throws Exception {
        Leftovers.remove(archive);
        Leftovers.remove(build.resolve("not/there/archive"));
        assertFalse(Leftovers.exist(build.resolve("not/there/archive")));
        assertEquals(List.of(), list(build));
    }

    @Test
    void stagedFilesAreDeletedBeforeThereIsAnArchive() throws Exception {
        write(".archive" + NUMBER + "/d/file");
        assertTrue(Leftovers.exist(archive));
        Leftovers.remove(archive);
        assertEquals(List.of(), list(build));
    }

    @Test
    void onlyWhatIsOurs() throws Exception {
        List<String> others = List.of(
                ".archive",
                ".archive-" + "x".repeat(36),
                ".archive" + NUMBER + "-kept",
                ".archive" + NUMBER + "0",
                ".other" + NUMBER,
                "archive" + NUMBER);
        for (String name : others) {
            write(name + "/file");
        }
        assertFalse(Leftovers.exist(archive));
        Leftovers.remove(archive);
        assertEquals(others.stream().sorted().toList(), list(build));
    }

    @Test
    void whatALinkPointsToStays() throws Exception {
        write("elsewhere/file");
        Files.createDirectory(build.resolve(".archive" + NUMBER));
        Files.createSymbolicLink(build.resolve(".archive" + NUMBER + "/link"), build.resolve("elsewhere"));
        Leftovers.remove(archive);
        assertEquals(List.of("elsewhere"), list(build));
        assertEquals(List.of("file"), list(build.resolve("elsewhere")));
    }

    @Test
    void oneThatCannotBeDeletedDoesNotKeepTheOthers() throws Exception {
        write(".archive" + NUMBER + "/a");
        write(".archive" + NUMBER + "/b/stays");
        write(".archive" + NUMBER + "/c");
        for (char digit = 'a'; digit <= 'f'; digit++) {
            write(".archive" + NUMBER.replace('3', digit) + "/d");
        }
        Disk disk = new Disk() {
            @Override
            void delete(Path path) throws IOException {
                if (path.endsWith("stays")) {
                    throw new AccessDeniedException(path.toString());
                }
                super.delete(path);
            }
        };
        IOException failure = assertThrows(IOException.class, () -> Leftovers.remove(archive, disk));
        assertEquals(
                build.toRealPath().resolve(".archive" + NUMBER + "/b/stays").toString(), failure.getMessage());
        assertEquals(List.of(".archive" + NUMBER), list(build));
        assertEquals(List.of("b"), list(build.resolve(".archive" + NUMBER)));
        Leftovers.remove(archive);
        assertEquals(List.of(), list(build));
    }

    @Test
    void artifactsThatHaveBeenDeletedSinceStayAway() throws Exception {
        write(".archive" + NUMBER + "-before/file");
        Leftovers.remove(archive);
        assertEquals(List.of(), list(build));
    }

    @Test
    void whatCannotGoBackIsKept() throws Exception {
        write("elsewhere/file");
        Files.createDirectory(archive);
        Files.createSymbolicLink(archive.resolve("d"), build.resolve("elsewhere"));
        write(".archive" + NUMBER + "-before/d/file too");
        write(".archive" + NUMBER + "/file");
        IOException failure = assertThrows(IOException.class, () -> Leftovers.remove(archive));
        assertTrue(failure.getMessage().contains(".archive" + NUMBER + "-kept"), failure.getMessage());
        assertEquals(List.of(".archive" + NUMBER + "-kept", "archive", "elsewhere"), list(build));
        assertEquals(List.of("file"), list(build.resolve("elsewhere")), "not through a link");
        Leftovers.remove(archive);
        assertTrue(Files.exists(build.resolve(".archive" + NUMBER + "-kept/d/file too")));
    }

    private void write(String name) throws IOException {
        Path file = build.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
    }

    private static List<String> list(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }
}
