package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** A folder to unpack into, with a neighbour that must not change. */
final class Unpacking {
    final Path folder;
    final Path neighbour;
    private final Path home;

    Unpacking(Path home) throws IOException {
        this.home = home;
        folder = Files.createDirectory(home.resolve("folder"));
        neighbour = Files.createDirectory(home.resolve("neighbour"));
        Files.writeString(neighbour.resolve("file"), "untouched");
    }

    TarUnpacker unpack(TarBytes tar, String... names) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(folder, Set.of(names));
        unpacker.unpack(new ByteArrayInputStream(tar.bytes()));
        return unpacker;
    }

    /** Unpacks what must be refused with these words, and leaves nothing outside the folder. */
    void refuse(TarBytes tar, String reason, String... names) throws IOException {
        IOException refused = assertThrows(IOException.class, () -> unpack(tar, names));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
        assertNeighbourUntouched();
    }

    void assertNeighbourUntouched() throws IOException {
        try (Stream<Path> all = Files.list(home);
                Stream<Path> inNeighbour = Files.list(neighbour)) {
            assertEquals(2, all.count(), "nothing beside the folder");
            assertEquals(1, inNeighbour.count(), "nothing in its neighbour");
        }
        assertEquals("untouched", Files.readString(neighbour.resolve("file")));
    }
}
