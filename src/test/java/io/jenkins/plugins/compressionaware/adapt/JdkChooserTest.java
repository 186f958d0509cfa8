package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdkChooserTest {
    private static final int LENGTH = 64 * 1024;
    private static final byte[] TEXT =
            "a line of a log, 12:00:00, and another\n".repeat(LENGTH / 39).getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOISE = Trees.noise(LENGTH);
    private static final Choice FAST = new Choice(Codec.GZIP, 1);
    private static final Choice USUAL = new Choice(Codec.GZIP, 6);
    private static final LaneWrite BUSY = new LaneWrite(1000, 100, 0, 10);
    private static final LaneWrite STARVED = new LaneWrite(1000, 10, 0, 100);

    private final JdkChooser chooser = new JdkChooser(0, 19);

    /** What nobody waits for may take longer; and a link that has not answered may be slow. */
    @Test
    void onlyStarvedLanesMakeHaste() {
        chooser.sent(new LaneWrite(1000, 0, 0, 1000));
        assertEquals(USUAL, chooser.choose(TEXT, TEXT.length), "nothing is known until the receiver answers");
        chooser.answered();
        assertEquals(FAST, chooser.choose(TEXT, TEXT.length));
    }

    @Test
    void theLastTenWritesCount() {
        chooser.answered();
        assertEquals(USUAL, chooser.choose(TEXT, TEXT.length));
        assertChoiceAfter(100, BUSY, USUAL);
        assertChoiceAfter(10, STARVED, FAST);
        assertChoiceAfter(10, BUSY, USUAL);
    }

    private void assertChoiceAfter(int writes, LaneWrite write, Choice choice) {
        for (int i = 0; i < writes; i++) {
            chooser.sent(write);
        }
        assertEquals(choice, chooser.choose(TEXT, TEXT.length));
    }

    /** Jars look like noise, and shrink by 5 %: they are tried while the link may be slow. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noiseIsStoredOnceTheReceiverHasAnswered(boolean starved) {
        chooser.sent(starved ? STARVED : BUSY);
        assertEquals(USUAL, chooser.choose(NOISE, LENGTH));
        chooser.answered();
        assertEquals(Choice.STORED, chooser.choose(NOISE, LENGTH));
    }

    @Test
    void boundsAreKept() {
        assertEquals(Choice.STORED, busy(0, 0).choose(TEXT, TEXT.length));
        assertEquals(FAST, busy(0, 3).choose(TEXT, TEXT.length));
        assertEquals(USUAL, busy(1, 19).choose(NOISE, LENGTH));
    }

    private static JdkChooser busy(int minLevel, int maxLevel) {
        JdkChooser busy = new JdkChooser(minLevel, maxLevel);
        busy.sent(BUSY);
        busy.answered();
        return busy;
    }

    /** A stash has a least level, and is kept as it is sent. */
    @Test
    void noHasteBelowTheLeastLevel() {
        JdkChooser stash = new JdkChooser(3, 9);
        stash.answered();
        stash.sent(STARVED);
        assertEquals(USUAL, stash.choose(TEXT, TEXT.length));
        assertEquals(USUAL, stash.choose(NOISE, LENGTH));
    }

    /** A lane that waits for blocks has an empty window, which takes everything at once. */
    @Test
    void tellsWhatTheLinkTakesIfTheLaneIsBusy() {
        chooser.sent(new LaneWrite(1000, 4000, 0, 99));
        assertEquals(Double.NaN, chooser.linkNanosPerByte());
        chooser.answered();
        assertEquals(4, chooser.linkNanosPerByte());
        chooser.sent(new LaneWrite(1000, 10, 0, 9000));
        assertEquals(Double.NaN, chooser.linkNanosPerByte());
    }

    @Test
    void tellsWhatAByteTakes() {
        chooser.sent(new LaneWrite(1000, 3000, 1000, 99));
        assertEquals(-1, chooser.nanosPerByte(), "windows are empty");
        chooser.answered();
        assertEquals(4, chooser.nanosPerByte());
    }
}
