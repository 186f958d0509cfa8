package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Whichever way bytes are taken, they count. */
class OverheadLimitTest {
    private final OverheadLimit limited =
            new OverheadLimit(new ByteArrayInputStream(new byte[] {-1, 2, 3, 4, 5}), 3, 4);

    @Test
    void oneByOne() throws IOException {
        assertEquals(255, limited.read());
        assertEquals(2, limited.read());
        assertEquals(3, limited.read());
        assertThrows(IOException.class, limited::read);
    }

    @Test
    void atOnce() throws IOException {
        assertEquals(3, limited.read(new byte[5], 0, 5), "no more than may pass");
        assertThrows(IOException.class, () -> limited.read(new byte[1], 0, 1));
    }

    @Test
    void skipped() throws IOException {
        assertEquals(3, limited.skip(5));
        assertThrows(IOException.class, () -> limited.skip(1));
    }

    @Test
    void cannotGoBack() {
        assertFalse(limited.markSupported());
    }

    @Test
    void endOfTheStream() throws IOException {
        limited.allow(3);
        assertEquals(5, limited.skip(5));
        assertEquals(-1, limited.read());
        assertEquals(0, limited.skip(1));
    }

    @Test
    void whatAllHeadersNeedMayBeWhatIsAllowed() throws IOException {
        limited.skip(2);
        limited.allow(0);
        limited.startNext();
        limited.skip(2);
        limited.allow(0);
        limited.startNext();
        limited.skip(1);
        assertThrows(IOException.class, () -> limited.allow(0));
    }
}
