package io.jenkins.plugins.compressionaware.transfer;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackedCopyTest {
    private static final int LENGTH = 1_000_000;
    private static final SendOptions OPTIONS = new SendOptions(Codec.GZIP, 1);

    @TempDir
    private Path tmp;

    private int packed;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(tmp.resolve("tree"));
        Files.write(tmp.resolve("tree/file"), FileTrees.noise(LENGTH));
    }

    private SendReport store(FrameFileWriter target) throws IOException, InterruptedException {
        packed++;
        return FrameFileSink.store(tmp.resolve("tree"), Map.of("file", "file"), OPTIONS, target);
    }

    private static PackedCopy.Key key(Object content) {
        return new PackedCopy.Key(content, OPTIONS, null);
    }

    private PackedCopy copy(Object content, long bytes, PackedCopy.Source source)
            throws IOException, InterruptedException {
        return copy(content, "agent", bytes, source);
    }

    private PackedCopy copy(Object content, String agent, long bytes, PackedCopy.Source source)
            throws IOException, InterruptedException {
        StagingJournal journal = new StagingJournal(tmp.resolve("journal"), tmp);
        return PackedCopy.of(tmp.resolve("packed"), journal, key(content), agent, bytes, source);
    }

    private void assertNothingIsLeft() throws IOException {
        assertEquals(Map.of(), FileTrees.describe(tmp.resolve("packed")));
        if (Files.exists(tmp.resolve("journal"))) {
            assertEquals(Map.of(), FileTrees.describe(tmp.resolve("journal")));
        }
    }

    @Test
    void transfersOfSameContentShareCopy() throws Exception {
        try (PackedCopy first = copy("stash", LENGTH, this::store);
                PackedCopy other = copy("another stash", LENGTH, this::store)) {
            assertNotEquals(first.file(), other.file());
            try (PackedCopy same = copy("stash", LENGTH, this::store)) {
                assertEquals(first.file(), same.file());
            }
            assertTrue(Files.exists(first.file()));
            assertEquals(2, packed);
        }
        assertNothingIsLeft();
    }

    /** Ten transfers that each check the same free space would fill the disk together. */
    @Test
    void allCopiesTogetherReserveHalfOfFreeSpace() throws Exception {
        long fifth = Files.getFileStore(tmp).getUsableSpace() / 5;
        try (PackedCopy first = copy("stash", "one", fifth, this::store);
                PackedCopy second = copy("another stash", "another", fifth, this::store)) {
            assertFailsWith("Not enough disk space", () -> copy("a third stash", "third", fifth, this::store));
            assertTrue(Files.exists(first.file()) && Files.exists(second.file()));
        }
        copy("a third stash", "third", fifth, this::store).close();
        assertNothingIsLeft();
    }

    @Test
    void copiesForOneAgentReserveQuarterOfFreeSpace() throws Exception {
        long fifth = Files.getFileStore(tmp).getUsableSpace() / 5;
        try (PackedCopy first = copy("stash", "hostile", fifth, this::store)) {
            assertFailsWith("a quarter", () -> copy("another stash", "hostile", fifth, this::store));
            copy("another stash", "honest", fifth, this::store).close();
            assertTrue(Files.exists(first.file()));
        }
        assertNothingIsLeft();
    }

    /** The numbers of a forged stash may promise less than its frames contain. */
    @Test
    void copyThatExceedsItsReservationIsDeleted() throws Exception {
        assertFailsWith("limit of", () -> copy("stash", LENGTH / 2, this::store));
        assertNothingIsLeft();
    }

    @Test
    void contentThatDoesNotCompressFits() throws Exception {
        copy("stash", LENGTH, this::store).close();
    }

    /** The build that packs is aborted; the others still need the copy. */
    @Test
    void nextTransferPacksAfterInterrupt() throws Exception {
        assertThrows(
                InterruptedException.class,
                () -> copy("stash", LENGTH, target -> {
                    Thread.currentThread().interrupt();
                    return store(target);
                }));
        assertFalse(Thread.interrupted());
        copy("stash", LENGTH, this::store).close();
        assertEquals(2, packed);
        assertNothingIsLeft();
    }

    /** An administrator may delete the folder. The transfer that has the file open goes on. */
    @Test
    void deletedCopyIsPackedAgain() throws Exception {
        try (PackedCopy first = copy("stash", LENGTH, this::store)) {
            Files.delete(first.file());
            assertThrows(
                    InterruptedException.class,
                    () -> copy("stash", LENGTH, target -> {
                        Thread.currentThread().interrupt();
                        return store(target);
                    }));
            try (PackedCopy second = copy("stash", LENGTH, this::store)) {
                FrameFile.open(second.file()).close();
            }
        }
        assertEquals(3, packed);
        assertNothingIsLeft();
    }
}
