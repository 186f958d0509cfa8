package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads headers and limits the overhead around contents; {@link RefusedTarsTest} covers malicious tars. */
class TarReaderTest {
    private static TarReader reader(TarBytes tar, long maxTotalOverhead) {
        return new TarReader(new ByteArrayInputStream(tar.end().bytes()), maxTotalOverhead);
    }

    /** Times before 1970, just after its start, and with more than eleven octal digits. */
    @ParameterizedTest
    @ValueSource(longs = {-5_000_000_000L, -1, 0, 1_700_000_000, 1L << 33, 1L << 40})
    void timesAreRead(long seconds) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry("a");
        entry.setModTime(TimeUnit.SECONDS.toMillis(seconds));
        TarReader tar = reader(new TarBytes().entry(entry, "x"), Long.MAX_VALUE);
        assertTrue(tar.next());
        assertEquals(seconds, tar.seconds());
        TarReader ours = new TarReader(
                new ByteArrayInputStream(TarHeader.of("a", 0, TimeUnit.SECONDS.toMillis(seconds), 0751)), 1 << 10);
        assertTrue(ours.next());
        assertEquals(seconds, ours.seconds());
        assertEquals(0751, ours.mode());
    }

    @ParameterizedTest
    @ValueSource(longs = {(1L << 33) - 1, 1L << 33, Long.MAX_VALUE})
    void sizesAreRead(long size) throws IOException {
        TarReader tar = new TarReader(new ByteArrayInputStream(TarHeader.of("a", size, 0, -1)), 1 << 10);
        assertTrue(tar.next());
        assertEquals(size, tar.size());
    }

    /** The overhead of an entry includes its headers, its long name, and the padding and unread content of the previous entry. */
    @Test
    void overheadOfOneEntryIsLimited() throws IOException {
        int name = TarReader.MAX_ENTRY_OVERHEAD - 4 * 512;
        for (int unread : new int[] {1, 1024, 1025}) {
            TarBytes tar = new TarBytes()
                    .header('0', "a", unread)
                    .raw(new byte[(unread + 511) / 512 * 512])
                    .extended('L', "n".repeat(name));
            TarReader reader = reader(tar.file("b", "x"), Long.MAX_VALUE);
            assertTrue(reader.next());
            if (unread <= 1024) {
                assertTrue(reader.next(), unread + " bytes");
                assertEquals(name, reader.name().length());
            } else {
                assertThrows(IOException.class, reader::next);
            }
        }
    }

    @Test
    void contentIsNotOverhead() throws IOException {
        byte[] content = new byte[1 << 20];
        TarReader reader = reader(new TarBytes().header('0', "a", 1 << 20).raw(content), 512);
        assertTrue(reader.next());
        assertArrayEquals(content, reader.readAllBytes());
        assertEquals(-1, reader.read());
        assertFalse(reader.next());
    }

    @Test
    void totalOverheadIsLimited() throws IOException {
        TarReader enough = reader(new TarBytes().file("a", "").file("b", ""), 1024);
        assertTrue(enough.next() && enough.next());
        TarReader tooFew = reader(new TarBytes().file("a", "").file("b", ""), 1023);
        assertTrue(tooFew.next());
        assertThrows(IOException.class, tooFew::next);
    }

    @Test
    void readReturnsUnsignedByte() throws IOException {
        TarReader tar = reader(new TarBytes().header('0', "a", 1).raw(new byte[] {-1}), 1 << 10);
        assertTrue(tar.next());
        assertEquals(255, tar.read());
    }

    @Test
    void streamFailureIsRethrown() {
        IOException failure = new IOException("the disk is gone");
        TarReader tar = new TarReader(
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw failure;
                    }
                },
                1 << 10);
        assertSame(failure, assertThrows(IOException.class, tar::next));
        assertSame(failure, tar.failure());
    }
}
