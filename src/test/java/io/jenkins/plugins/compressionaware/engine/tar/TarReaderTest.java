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

/** What a header says, and how many bytes may be around contents; {@link RefusedTarsTest} has what must not come of a tar. */
class TarReaderTest {
    private static TarReader reader(TarBytes tar, long mostAroundAll) {
        return new TarReader(new ByteArrayInputStream(tar.end().bytes()), mostAroundAll);
    }

    /** Before 1970, in it, and when eleven octal digits are too few. */
    @ParameterizedTest
    @ValueSource(longs = {-5_000_000_000L, -1, 0, 1_700_000_000, 1L << 33, 1L << 40})
    void times(long seconds) throws IOException {
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
    void sizes(long size) throws IOException {
        TarReader tar = new TarReader(new ByteArrayInputStream(TarHeader.of("a", size, 0, -1)), 1 << 10);
        assertTrue(tar.next());
        assertEquals(size, tar.size());
    }

    /** An entry's long name and its header, the end of what was before it, and what was not read of that. */
    @Test
    void allThatIsAroundOneEntryCounts() throws IOException {
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
    void contentsDoNotCount() throws IOException {
        byte[] content = new byte[1 << 20];
        TarReader reader = reader(new TarBytes().header('0', "a", 1 << 20).raw(content), 512);
        assertTrue(reader.next());
        assertArrayEquals(content, reader.readAllBytes());
        assertEquals(-1, reader.read());
        assertFalse(reader.next());
    }

    @Test
    void whatAllEntriesNeedMayBeWhatIsAllowed() throws IOException {
        TarReader enough = reader(new TarBytes().file("a", "").file("b", ""), 1024);
        assertTrue(enough.next() && enough.next());
        TarReader tooFew = reader(new TarBytes().file("a", "").file("b", ""), 1023);
        assertTrue(tooFew.next());
        assertThrows(IOException.class, tooFew::next);
    }

    @Test
    void bytesAreNotSigned() throws IOException {
        TarReader tar = reader(new TarBytes().header('0', "a", 1).raw(new byte[] {-1}), 1 << 10);
        assertTrue(tar.next());
        assertEquals(255, tar.read());
    }

    @Test
    void aStreamThatFailsIsNoMatterOfTheTar() {
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
