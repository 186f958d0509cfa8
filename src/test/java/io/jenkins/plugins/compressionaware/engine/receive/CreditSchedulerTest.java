package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CreditSchedulerTest {
    private static final int KIBIBYTE = 1024;
    private static final int LEAST = 300 * KIBIBYTE;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final CreditWriter teller = new CreditWriter(told, Runnable::run);

    @Test
    void theSenderHearsOftenAtFirstAndThenOncePerMebibyte() throws Exception {
        CreditScheduler grants = new CreditScheduler(teller, LEAST, Credit.WINDOW);
        for (long bytes = 64 * KIBIBYTE; bytes <= 3072 * KIBIBYTE; bytes += 64 * KIBIBYTE) {
            grants.consumed(bytes, bytes, bytes + Credit.WINDOW);
        }
        assertEquals(
                List.of(128L, 256L, 384L, 512L, 640L, 768L, 896L, 1024L, 2048L, 3072L),
                CapturedTransfer.grants(told.toByteArray()).stream()
                        .map(grant -> (grant.limit() - Credit.WINDOW) / KIBIBYTE)
                        .toList());
    }

    @Test
    void aSenderThatMayWaitForItsNextFrameHearsAtOnce() throws Exception {
        CreditScheduler grants = new CreditScheduler(teller, LEAST, LEAST);
        long heap = Credit.heapCost(100);
        for (int frames = 1; frames <= 5; frames++) {
            grants.consumed(frames * heap, frames * 100, frames * heap + LEAST);
        }
        assertEquals(5, CapturedTransfer.grants(told.toByteArray()).size());
    }

    /** Whatever the window is, a sender that has used up what it knows of is told of more as soon as there is more. */
    @Test
    void theSenderNeverWaitsForWhatItIsNotTold() throws Exception {
        for (int window : new int[] {LEAST, 2 * LEAST, 5 * LEAST, Credit.WINDOW}) {
            told.reset();
            CreditScheduler grants = new CreditScheduler(teller, LEAST, window);
            long known = window;
            long wire = 0;
            for (long consumed = 0; wire < 100 << 20; consumed += LEAST) {
                assertTrue(known - consumed >= LEAST, window + ": no credit for the next frame");
                wire += LEAST - Credit.heapCost(0);
                grants.consumed(consumed + LEAST, wire, consumed + LEAST + window);
                List<Credit.Grant> all = CapturedTransfer.grants(told.toByteArray());
                known = all.isEmpty() ? known : all.get(all.size() - 1).limit();
            }
        }
    }

    @Test
    void aSenderWithHalfOfASmallWindowLeftHears() throws Exception {
        int window = 3 * LEAST;
        CreditScheduler grants = new CreditScheduler(teller, 1, window);
        grants.consumed(LEAST, 0, LEAST + window);
        assertEquals(0, CapturedTransfer.grants(told.toByteArray()).size());
        grants.consumed(2 * LEAST, 0, 2 * LEAST + window);
        assertEquals(1, CapturedTransfer.grants(told.toByteArray()).size());
    }

    @Test
    void theNewestGrantIsToldAgainWhileNothingComes() throws Exception {
        CreditScheduler grants = new CreditScheduler(teller, LEAST, Credit.WINDOW);
        for (int seconds = 0; seconds <= 95; seconds++) {
            grants.silent(Credit.WINDOW + 1, TimeUnit.SECONDS.toNanos(seconds));
        }
        assertEquals(
                List.of(Credit.WINDOW + 1L, Credit.WINDOW + 1L, Credit.WINDOW + 1L),
                CapturedTransfer.grants(told.toByteArray()).stream()
                        .map(Credit.Grant::limit)
                        .toList());
        grants.silent(Credit.WINDOW + 1, 0); // a frame has come
        grants.silent(Credit.WINDOW + 1, TimeUnit.SECONDS.toNanos(30));
        assertEquals(4, CapturedTransfer.grants(told.toByteArray()).size());
    }

    /** A block of 4 MiB takes nine minutes over 64 kbit/s. A sender that has sent its last one has closed its end by then. */
    @Test
    void aSenderThatHasSentEverythingNeedNotBeTold() throws Exception {
        List<Integer> writes = new ArrayList<>();
        OutputStream closed = new LaneHook(told, (write, length) -> {
            writes.add(write);
            throw new IOException("Pipe is already closed");
        });
        CreditScheduler grants = new CreditScheduler(new CreditWriter(closed, Runnable::run), LEAST, LEAST);
        grants.consumed(LEAST, LEAST, 2 * LEAST);
        for (int minutes = 0; minutes < 9; minutes++) {
            grants.silent(2 * LEAST, TimeUnit.MINUTES.toNanos(minutes));
        }
        assertEquals(10, writes.size(), "it is tried again at each look");
    }
}
