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
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that says what it likes: a file is what its recipe's hash says, or it is not there. */
class HostileRecipeTest {
    private static final byte[] KNOWN = History.noise(1, 100_000);

    @TempDir
    Path tmp;

    private Path archive;
    private ReferenceArchive earlier;
    private int whole;

    @BeforeEach
    void earlier() throws IOException {
        archive = Files.createDirectory(tmp.resolve("earlier"));
        Files.write(archive.resolve("known"), KNOWN);
        Files.write(archive.resolve("other"), History.noise(2, 5000));
        open();
        whole = earlier.index().fileOf(0).equals("known") ? 0 : 1;
    }

    private void open() throws IOException {
        close();
        earlier = DeltaRoundTrip.opened(archive);
    }

    @AfterEach
    void close() throws IOException {
        if (earlier != null) {
            earlier.close();
        }
    }

    private static final class Made {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        private final byte[] hash;

        Made(long size, byte[] hash) throws IOException {
            this.hash = hash;
            out.writeByte(Delta.VERSION);
            Varint.write(out, size);
        }

        Made pieces(long first, long count) throws IOException {
            Varint.write(out, count << 1 | 1);
            Varint.write(out, first);
            return this;
        }

        Made bytes(byte[] literal) throws IOException {
            Varint.write(out, (long) literal.length << 1);
            out.write(literal);
            return this;
        }

        byte[] get() throws IOException {
            out.write(hash);
            return bytes.toByteArray();
        }
    }

    private static byte[] sha(byte[] content) {
        return ChunkHash.digest().digest(content);
    }

    private static byte[] tar(String name, byte[] recipe) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            TarArchiveEntry entry = new TarArchiveEntry(name, (byte) 'R', true);
            entry.setSize(recipe.length);
            tar.putArchiveEntry(entry);
            tar.write(recipe);
            tar.closeArchiveEntry();
        }
        return bytes.toByteArray();
    }

    private Set<String> land(byte[] recipe) throws IOException {
        return DeltaRoundTrip.unpack(tar("file", recipe), tmp.resolve("staged"), Set.of("file"), earlier);
    }

    private void assertUnfit(byte[] recipe) throws IOException {
        assertEquals(Set.of("file"), land(recipe));
        assertFalse(Files.exists(tmp.resolve("staged/file")), "what is not what it claims to be");
        assertEquals(0, earlier.reusedBytes());
    }

    private void assertRefused(byte[] recipe, String reason) {
        IOException refused = assertThrows(IOException.class, () -> land(recipe));
        assertTrue(refused.getMessage().startsWith("Refused file: " + reason), refused.getMessage());
    }

    @Test
    void anHonestOne() throws IOException {
        assertEquals(
                Set.of(),
                land(new Made(KNOWN.length, sha(KNOWN))
                        .pieces(whole == 0 ? 0 : whole(), 1)
                        .get()));
        assertArrayEquals(KNOWN, Files.readAllBytes(tmp.resolve("staged/file")));
        assertEquals(KNOWN.length, earlier.reusedBytes());
    }

    private int whole() {
        for (int i = 0; i < earlier.index().pieces(); i++) {
            if (earlier.index().fileOf(i).equals("known")) {
                return i;
            }
        }
        throw new AssertionError();
    }

    @Test
    void aPrefixOfTheHashIsNotEnough() throws IOException {
        byte[] hash = Arrays.copyOf(Arrays.copyOf(sha(KNOWN), 8), 32);
        assertUnfit(new Made(KNOWN.length, hash).pieces(whole(), 1).get());
    }

    @Test
    void aFileOfAnotherJobIsNotThere() throws IOException {
        byte[] secret = History.noise(77, 5000);
        Files.write(tmp.resolve("secret"), secret);
        // it knows the hash, but has no piece to name for it
        assertUnfit(new Made(KNOWN.length, sha(secret)).pieces(whole(), 1).get());
        assertRefused(
                new Made(secret.length, sha(secret))
                        .pieces(earlier.index().pieces(), 1)
                        .get(),
                "the recipe names a piece that was not offered");
    }

    @Test
    void wrongBytesBetween() throws IOException {
        byte[] content = Arrays.copyOf(KNOWN, KNOWN.length + 10);
        assertUnfit(new Made(content.length, sha(content))
                .pieces(whole(), 1)
                .bytes(History.noise(3, 10))
                .get());
    }

    @Test
    void piecesBeyondTheEnd() {
        assertRefusedRun(earlier.index().pieces() - 1L, 2);
        assertRefusedRun(0, Integer.MAX_VALUE);
        assertRefusedRun(0, Long.MAX_VALUE >>> 1);
        assertRefusedRun(Long.MAX_VALUE, 1);
        assertRefusedRun(0, 0);
    }

    private void assertRefusedRun(long first, long count) {
        try {
            assertRefused(
                    new Made(Long.MAX_VALUE, new byte[32]).pieces(first, count).get(), "the recipe names a piece");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void moreThanTheFile() throws IOException {
        assertRefused(new Made(1000, new byte[32]).pieces(whole(), 1).get(), "the recipe makes more than its file");
        assertRefused(new Made(1000, new byte[32]).bytes(new byte[1001]).get(), "the recipe makes more than its file");
        assertRefused(
                new Made(10, sha(new byte[10]))
                        .bytes(new byte[10])
                        .bytes(new byte[1])
                        .get(),
                "the recipe ends too early, or goes on");
        assertRefused(new Made(0, sha(new byte[0])).get(), "the recipe is for an empty file");
    }

    @Test
    void oneThatExpandsWithoutEnd() throws IOException {
        Made made = new Made(Long.MAX_VALUE, new byte[32]);
        for (int i = 0; i < 100_000; i++) {
            made.pieces(whole(), 1);
        }
        assertRefused(made.get(), "the recipe makes more than its file, or more than the earlier build had");
        assertFalse(Files.exists(tmp.resolve("staged/file")), "a refused file is removed");
    }

    @Test
    void oneThatEndsTooEarly() throws IOException {
        byte[] whole = new Made(KNOWN.length, sha(KNOWN)).pieces(whole(), 1).get();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(IOException.class, () -> land(cut), "cut at " + length);
        }
    }

    @Test
    void withoutAnOfferThereAreNone() throws IOException {
        byte[] recipe = new Made(KNOWN.length, sha(KNOWN)).pieces(0, 1).get();
        assertFailsWith(
                "neither a file, a folder nor a symbolic link",
                () -> DeltaRoundTrip.unpack(
                        tar("file", recipe), tmp.resolve("staged"), Set.of("file"), EntryDecoder.NONE));
    }

    @Test
    void aFileThatHasChangedOrGone() throws IOException {
        byte[] recipe = new Made(KNOWN.length, sha(KNOWN)).pieces(whole(), 1).get();
        Path known = archive.resolve("known");
        Files.write(known, History.noise(9, KNOWN.length));
        assertUnfit(recipe);
        Files.write(known, new byte[10]);
        earlier.close();
        earlier = ReferenceArchive.open(archive, tmp.resolve("earlier.pieces"));
        assertUnfit(recipe);
        Files.delete(known);
        earlier.close();
        earlier = ReferenceArchive.open(archive, tmp.resolve("earlier.pieces"));
        assertUnfit(recipe);
    }

    @Test
    void nothingIsReadThroughALink() throws IOException {
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.write(outside.resolve("known"), KNOWN);
        Files.delete(archive.resolve("known"));
        Files.createSymbolicLink(archive.resolve("known"), outside.resolve("known"));
        assertUnfit(new Made(KNOWN.length, sha(KNOWN)).pieces(whole(), 1).get());
        Files.createDirectory(archive.resolve("sub"));
        Files.delete(archive.resolve("known"));
        Files.write(archive.resolve("sub/known"), KNOWN);
        open();
        int piece = 0;
        while (!earlier.index().fileOf(piece).equals("sub/known")) {
            piece++;
        }
        Files.delete(archive.resolve("sub/known"));
        Files.delete(archive.resolve("sub"));
        Files.createSymbolicLink(archive.resolve("sub"), outside);
        assertUnfit(new Made(KNOWN.length, sha(KNOWN)).pieces(piece, 1).get());
    }

    /** Between the look at a file and its opening. */
    @Test
    void aLinkIsNotOpened() throws IOException {
        Path link = Files.createSymbolicLink(tmp.resolve("link"), archive.resolve("known"));
        try (SeekableFileReader source = new SeekableFileReader(link, KNOWN.length, 1000, LinkOption.NOFOLLOW_LINKS)) {
            assertThrows(IOException.class, () -> source.read(0, new byte[1], 0, 1));
        }
    }

    @Test
    void numbersThatDoNotEnd() {
        byte[] endless = new byte[40];
        Arrays.fill(endless, (byte) 0xff);
        endless[0] = Delta.VERSION;
        assertThrows(EntryRejectedException.class, () -> earlier.decode(new ByteArrayInputStream(endless)));
    }
}
