package io.jenkins.plugins.compressionaware.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.tar.TarPacker;
import io.jenkins.plugins.compressionaware.tar.TarSink;
import io.jenkins.plugins.compressionaware.testkit.RandomTree;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is plain for it; what is hostile is tried on it by the tests of the ordinary unpacker, too. */
class SmallTarTest {
    @TempDir
    private Path temp;

    private static byte[] pack(Path base, Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarPacker packer = new TarPacker(new TarSink() {
            @Override
            public void startEntry(String name, long size) {}

            @Override
            public void write(byte[] more, int offset, int length) {
                bytes.write(more, offset, length);
            }
        })) {
            packer.pack(base, files);
        }
        return bytes.toByteArray();
    }

    private long[] unpack(byte[] tar, String name) throws IOException {
        Path folder = Files.createDirectory(temp.resolve(name));
        return new SmallTar(new ByteArrayInputStream(tar), folder).unpack();
    }

    @Test
    void whatThePackerWritesIsPlain() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            Path tree = RandomTree.create(temp.resolve("random" + seed), seed);
            Map<String, String> names = Trees.names(tree);
            long[] unpacked = unpack(pack(tree, names), "unpacked" + seed);
            assertEquals(Trees.describe(tree), Trees.describe(temp.resolve("unpacked" + seed)), "seed " + seed);
            assertEquals(names.size(), unpacked[0]);
        }
    }

    @Test
    void tarThatIsCutShortIsRefused() throws Exception {
        Path tree = RandomTree.create(temp.resolve("tree"), 3);
        byte[] tar = pack(tree, Trees.names(tree));
        for (int length : new int[] {0, 1, 511, 512, tar.length / 2, tar.length - 1024}) {
            assertThrows(IOException.class, () -> unpack(Arrays.copyOf(tar, length), "cut at " + length));
        }
        assertArrayEquals(unpack(tar, "whole"), unpack(Arrays.copyOf(tar, tar.length - 512), "with one end record"));
    }

    /** 622 bytes of a stash become the longest name that a tar of that size can have. */
    @Test
    void nameOfAMillionFoldersIsRefused() throws Exception {
        Path file = Files.createFile(temp.resolve("file"));
        for (int folders : new int[] {600, 900_000}) {
            byte[] tar = pack(
                    temp, Map.of("a/".repeat(folders) + "b", file.getFileName().toString()));
            assertThrows(IOException.class, () -> unpack(tar, "deep " + folders));
            assertEquals(Map.of(), Trees.describe(temp.resolve("deep " + folders)));
        }
    }

    @Test
    void namesUpToAKilobyteArePlain() throws Exception {
        Path file = Files.createFile(temp.resolve("file"));
        String name = "a/".repeat(511) + "b";
        unpack(pack(temp, Map.of(name, file.getFileName().toString())), "deep");
        assertEquals(512, Trees.describe(temp.resolve("deep")).size());
    }
}
