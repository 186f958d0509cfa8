package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Computes fingerprints of fetched files from the bytes that were read, never from a later file of the same name. */
class FileDigestsTest {
    @TempDir
    Path tmp;

    private Path tree;
    private final Map<String, String> expected = new HashMap<>();
    private final SortedMap<String, SeekableTar.Entry> members = new TreeMap<>();

    @BeforeEach
    void files() throws Exception {
        tree = Files.createDirectory(tmp.toRealPath().resolve("tree"));
        for (int size : new int[] {0, 1, 511, 512, 513, 5_000}) {
            byte[] content = FileTrees.noise(size);
            String name = "n".repeat(size % 150 + 1) + size;
            Files.write(tree.resolve(name), content);
            expected.put(
                    name,
                    HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content)));
            members.put("other name of " + name, SeekableTar.Entry.look(tree, name, true));
        }
        Files.createSymbolicLink(tree.resolve("link"), Path.of("nowhere"));
        members.put("link", SeekableTar.Entry.look(tree, "link", true));
    }

    private SeekableTar tar() {
        return new SeekableTar(tree, members, true);
    }

    /** Reads the first entries, {@code step} bytes at a time. */
    private static void read(SeekableTar tar, int entries, int step) throws IOException {
        byte[] bytes = new byte[step];
        for (int i = 0; i < entries; i++) {
            for (long at = 0; at < tar.length(i); at += step) {
                tar.read(i, at, bytes, 0, (int) Math.min(step, tar.length(i) - at));
            }
        }
    }

    @Test
    void digestsMatchForAnyReadOrder() throws Exception {
        for (int step : new int[] {100, 512, 700, 100_000}) {
            SeekableTar tar = tar();
            read(tar, tar.entries(), step);
            assertEquals(expected, tar.digests(), step + " bytes at a time");
            tar = tar();
            read(tar, 3, step);
            assertEquals(expected, tar.digests(), "digests() reads the rest");
        }
        SeekableTar several = tar();
        int all = 0;
        for (int i = 0; i < several.entries(); i++) {
            all += (int) several.length(i);
        }
        several.read(0, 0, new byte[all], 0, all);
        assertEquals(expected, several.digests());
        SeekableTar backwards = tar();
        for (int i = backwards.entries() - 1; i >= 0; i--) {
            backwards.read(i, 0, new byte[(int) backwards.length(i)], 0, (int) backwards.length(i));
        }
        assertEquals(expected, backwards.digests());
        assertEquals(Map.of(), new SeekableTar(tree, members, false).digests());
    }

    /** Samples before a transfer read bytes twice. All bytes are digested by then, so none is read again. */
    @Test
    void bytesReadTwiceAreDigestedOnce() throws Exception {
        SeekableTar tar = tar();
        for (int i = 0; i < tar.entries(); i++) {
            tar.read(i, 0, new byte[600], 0, (int) Math.min(600, tar.length(i)));
        }
        read(tar, tar.entries(), 1_000);
        for (String name : expected.keySet()) {
            Files.delete(tree.resolve(name));
        }
        assertEquals(expected, tar.digests());
    }

    /** An agent can create such a link in the archive of its running build. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void digestsDoNotFollowLaterLinks() throws Exception {
        SeekableTar read = tar();
        read(read, read.entries(), 512);
        SeekableTar half = tar();
        read(half, 1, 512);
        for (String to : new String[] {"/etc/passwd", "/dev/zero"}) {
            for (String name : expected.keySet()) {
                Files.delete(tree.resolve(name));
                Files.createSymbolicLink(tree.resolve(name), Path.of(to));
            }
            assertEquals(expected, read.digests());
            assertFailsWith("as it was", half::digests);
        }
        for (String name : expected.keySet()) {
            Files.delete(tree.resolve(name));
        }
    }

    @Test
    void interruptStopsDigests() {
        SeekableTar tar = tar();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, tar::digests);
    }
}
