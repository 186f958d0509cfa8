package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deltas of an untrusted agent: a file is rebuilt with the SHA-256 that its delta names, or not at all. */
class HostileDeltaTest {
    private static final byte[] KNOWN = History.noise(1, 100_000);

    @TempDir
    Path tmp;

    private Path archive;

    @AutoClose
    private ReferenceArchive reference;

    @BeforeEach
    void setUp() throws IOException {
        archive = Files.createDirectory(tmp.resolve("reference"));
        Files.write(archive.resolve("known"), KNOWN);
        Files.write(archive.resolve("other"), History.noise(2, 5000));
        reference = DeltaRoundTrip.opened(archive);
    }

    private static byte[] sha(byte[] content) {
        return ChunkHash.digest().digest(content);
    }

    private static byte[] tar(byte[] delta) throws IOException {
        return DeltaPartsInputStreamTest.tar(List.of("file"), "R", i -> delta);
    }

    private Set<String> extract(byte[] delta) throws IOException {
        return DeltaRoundTrip.unpack(tar(delta), tmp.resolve("staged"), Set.of("file"), reference);
    }

    private void assertMismatch(byte[] delta) throws IOException {
        assertEquals(Set.of("file"), extract(delta));
        assertFalse(Files.exists(tmp.resolve("staged/file")), "a file with a wrong hash is removed");
        assertEquals(0, reference.reusedBytes());
    }

    private void assertRejected(byte[] delta, String reason) {
        IOException rejected = assertThrows(IOException.class, () -> extract(delta));
        assertTrue(rejected.getMessage().startsWith("Refused file: " + reason), rejected.getMessage());
    }

    @Test
    void honestDeltaRebuildsFile() throws IOException {
        assertEquals(Set.of(), extract(honest()));
        assertArrayEquals(KNOWN, Files.readAllBytes(tmp.resolve("staged/file")));
        assertEquals(KNOWN.length, reference.reusedBytes());
    }

    /** Returns the number of the first chunk of a file. */
    private int chunkOf(String file) {
        int chunk = 0;
        while (!reference.index().fileOf(chunk).equals(file)) {
            chunk++;
        }
        return chunk;
    }

    private byte[] honest() throws IOException {
        return new DeltaBuilder(KNOWN.length, sha(KNOWN))
                .chunks(chunkOf("known"), 1)
                .get();
    }

    @Test
    void hashPrefixFailsVerification() throws IOException {
        byte[] hash = Arrays.copyOf(Arrays.copyOf(sha(KNOWN), 8), 32);
        assertMismatch(
                new DeltaBuilder(KNOWN.length, hash).chunks(chunkOf("known"), 1).get());
    }

    @Test
    void fileOfAnotherJobIsUnreachable() throws IOException {
        byte[] secret = History.noise(77, 5000);
        Files.write(tmp.resolve("secret"), secret);
        // the agent has the hash, but no chunk of the file
        assertMismatch(new DeltaBuilder(KNOWN.length, sha(secret))
                .chunks(chunkOf("known"), 1)
                .get());
        assertRejected(
                new DeltaBuilder(secret.length, sha(secret))
                        .chunks(reference.index().chunkCount(), 1)
                        .get(),
                "the delta names a chunk that is not in the signature");
    }

    @Test
    void wrongBytesBetweenChunksFailVerification() throws IOException {
        byte[] content = Arrays.copyOf(KNOWN, KNOWN.length + 10);
        assertMismatch(new DeltaBuilder(content.length, sha(content))
                .chunks(chunkOf("known"), 1)
                .bytes(History.noise(3, 10))
                .get());
    }

    @Test
    void chunksBeyondEndAreRejected() throws IOException {
        assertRejectedRange(reference.index().chunkCount() - 1L, 2);
        assertRejectedRange(0, Integer.MAX_VALUE);
        assertRejectedRange(0, Long.MAX_VALUE >>> 1);
        assertRejectedRange(Long.MAX_VALUE, 1);
        assertRejectedRange(0, 0);
    }

    private void assertRejectedRange(long first, long count) throws IOException {
        assertRejected(
                new DeltaBuilder(Long.MAX_VALUE, new byte[32])
                        .chunks(first, count)
                        .get(),
                "the delta names a chunk");
    }

    @Test
    void moreBytesThanFileAreRejected() throws IOException {
        assertRejected(
                new DeltaBuilder(1000, new byte[32]).chunks(chunkOf("known"), 1).get(),
                "the delta yields more bytes than its file has");
        assertRejected(
                new DeltaBuilder(1000, new byte[32]).bytes(new byte[1001]).get(),
                "the delta yields more bytes than its file has");
        assertRejected(
                new DeltaBuilder(10, sha(new byte[10]))
                        .bytes(new byte[10])
                        .bytes(new byte[1])
                        .get(),
                "the delta ends too early, or continues");
        assertRejected(new DeltaBuilder(0, sha(new byte[0])).get(), "the delta is for an empty file");
    }

    @Test
    void endlessExpansionIsRejected() throws IOException {
        DeltaBuilder delta = new DeltaBuilder(Long.MAX_VALUE, new byte[32]);
        for (int i = 0; i < 100_000; i++) {
            delta.chunks(chunkOf("known"), 1);
        }
        assertRejected(delta.get(), "the delta yields more bytes than its file has, or reuses too many bytes");
        assertFalse(Files.exists(tmp.resolve("staged/file")), "a rejected file is removed");
    }

    @Test
    void truncatedDeltaIsRejected() throws IOException {
        byte[] whole = honest();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(IOException.class, () -> extract(cut), "cut at " + length);
        }
    }

    @Test
    void deltaWithoutSignatureIsRejected() throws IOException {
        byte[] delta = honest();
        assertFailsWith(
                "neither a file, a folder nor a symbolic link",
                () -> DeltaRoundTrip.unpack(tar(delta), tmp.resolve("staged"), Set.of("file"), EntryDecoder.NONE));
    }

    @Test
    void changedOrDeletedReferenceFileFailsVerification() throws IOException {
        byte[] delta = honest();
        Path known = archive.resolve("known");
        Files.write(known, History.noise(9, KNOWN.length));
        assertMismatch(delta);
        Files.write(known, new byte[10]);
        reopen();
        assertMismatch(delta);
        Files.delete(known);
        reopen();
        assertMismatch(delta);
    }

    /** Opens the reference build with its earlier index. */
    private void reopen() {
        reference.close();
        reference = ReferenceArchive.open("agent", archive, tmp.resolve("reference.chunks"));
    }

    @Test
    void linksInArchiveAreNotFollowed() throws IOException {
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.write(outside.resolve("known"), KNOWN);
        Files.delete(archive.resolve("known"));
        Files.createSymbolicLink(archive.resolve("known"), outside.resolve("known"));
        assertMismatch(honest());
        Files.createDirectory(archive.resolve("sub"));
        Files.delete(archive.resolve("known"));
        Files.write(archive.resolve("sub/known"), KNOWN);
        reference.close();
        reference = DeltaRoundTrip.opened(archive);
        int chunk = chunkOf("sub/known");
        Files.delete(archive.resolve("sub/known"));
        Files.delete(archive.resolve("sub"));
        Files.createSymbolicLink(archive.resolve("sub"), outside);
        assertMismatch(
                new DeltaBuilder(KNOWN.length, sha(KNOWN)).chunks(chunk, 1).get());
    }

    /** Covers a link that is created after the check of a file and before its opening. */
    @Test
    void linkIsNotOpened() throws IOException {
        Path link = Files.createSymbolicLink(tmp.resolve("link"), archive.resolve("known"));
        try (SeekableFileReader source = new SeekableFileReader(link, KNOWN.length, 1000, LinkOption.NOFOLLOW_LINKS)) {
            assertThrows(IOException.class, () -> source.read(0, new byte[1], 0, 1));
        }
    }

    @Test
    void unterminatedNumberIsRejected() {
        byte[] endless = new byte[40];
        Arrays.fill(endless, (byte) 0xff);
        assertThrows(EntryRejectedException.class, () -> reference.decode(new ByteArrayInputStream(endless)));
    }
}
