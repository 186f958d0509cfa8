package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Paths and names as on systems that this test does not run on. */
class OtherSystemsTest {
    static Stream<Configuration> systems() {
        return Stream.of(Configuration.windows(), Configuration.osX(), Configuration.unix());
    }

    @ParameterizedTest
    @MethodSource("systems")
    void firstAndSecondArchive(Configuration system) throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(system)) {
            Path archive = files.getPath("jobs", "job", "builds", "1", "archive");
            commit(archive, new Disk(), "kept", "d/replaced");
            commit(archive, new Disk(), "d/replaced", "d/new");
            assertEquals("kept", Files.readString(archive.resolve("kept")));
            assertEquals("d/replaced", Files.readString(archive.resolve("d/replaced")));
            assertEquals(List.of("new", "replaced"), list(archive.resolve("d")));
            assertEquals(List.of("archive"), list(archive.getParent()));
        }
    }

    @ParameterizedTest
    @MethodSource("systems")
    void goesBackAndCleansUp(Configuration system) throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(system)) {
            Path archive = files.getPath("jobs", "job", "builds", "1", "archive");
            commit(archive, new Disk(), "kept", "d/replaced");
            for (int broken = 1; broken <= 3; broken++) {
                int number = broken;
                // longer than the patience of the way there, not than that of the way back
                BrokenDisk disk = BrokenDisk.at(rename -> rename >= number && rename < number + 30);
                assertThrows(IOException.class, () -> commit(archive, disk, "d/replaced", "d/new"));
                assertEquals("d/replaced", Files.readString(archive.resolve("d/replaced")));
                assertEquals(List.of("replaced"), list(archive.resolve("d")));
                assertEquals(List.of("archive"), list(archive.getParent()));
            }
            String number = ".archive-314039af-ff04-4a9e-ace9-9b2fc29f0056";
            write(archive.resolveSibling(number + "-before"), "d/replaced");
            write(archive.resolveSibling(number), "new");
            Files.writeString(archive.resolve("d/replaced"), "later");
            Leftovers.remove(archive);
            assertEquals("d/replaced", Files.readString(archive.resolve("d/replaced")));
            assertEquals(List.of("archive"), list(archive.getParent()));
        }
    }

    private static void commit(Path archive, Disk disk, String... names) throws IOException, InterruptedException {
        try (StagedTree staged = new StagedTree(archive, disk)) {
            for (String name : names) {
                write(staged.folder(), name);
            }
            staged.commit();
        }
    }

    private static void write(Path root, String name) throws IOException {
        Path file = root.resolve(name);
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
