package io.jenkins.plugins.compressionaware.engine.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    private static final int MIN_WINDOW = 300 * KIBIBYTE;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final CreditWriter writer = new CreditWriter(sent, Runnable::run);

    private List<Long> limits() throws IOException {
        return CapturedTransfer.limits(sent.toByteArray());
    }

    @Test
    void grantsAreSentEvery128KibibytesAtFirstAndLaterPerMebibyte() throws Exception {
        CreditScheduler grants = new CreditScheduler(writer, MIN_WINDOW, Credit.WINDOW);
        for (long bytes = 64 * KIBIBYTE; bytes <= 3072 * KIBIBYTE; bytes += 64 * KIBIBYTE) {
            grants.onConsumed(bytes, bytes, bytes + Credit.WINDOW);
        }
        assertEquals(
                List.of(128L, 256L, 384L, 512L, 640L, 768L, 896L, 1024L, 2048L, 3072L),
                limits().stream()
                        .map(limit -> (limit - Credit.WINDOW) / KIBIBYTE)
                        .toList());
    }

    @Test
    void grantIsSentAtOnceIfCreditIsBelowLongestFrame() throws Exception {
        CreditScheduler grants = new CreditScheduler(writer, MIN_WINDOW, MIN_WINDOW);
        long heap = Credit.heapCost(100);
        for (int frames = 1; frames <= 5; frames++) {
            grants.onConsumed(frames * heap, frames * 100, frames * heap + MIN_WINDOW);
        }
        assertEquals(5, limits().size());
    }

    @Test
    void senderHasCreditForItsNextFrameWithAnyWindow() throws Exception {
        for (int window : new int[] {MIN_WINDOW, 2 * MIN_WINDOW, 5 * MIN_WINDOW, Credit.WINDOW}) {
            sent.reset();
            CreditScheduler grants = new CreditScheduler(writer, MIN_WINDOW, window);
            long known = window;
            long wire = 0;
            for (long consumed = 0; wire < 100 << 20; consumed += MIN_WINDOW) {
                assertTrue(known - consumed >= MIN_WINDOW, window + ": no credit for the next frame");
                wire += MIN_WINDOW - Credit.heapCost(0);
                grants.onConsumed(consumed + MIN_WINDOW, wire, consumed + MIN_WINDOW + window);
                List<Long> all = limits();
                known = all.isEmpty() ? known : all.get(all.size() - 1);
            }
        }
    }

    @Test
    void grantIsSentIfLessThanHalfOfASmallWindowIsLeft() throws Exception {
        int window = 3 * MIN_WINDOW;
        CreditScheduler grants = new CreditScheduler(writer, 1, window);
        grants.onConsumed(MIN_WINDOW, 0, MIN_WINDOW + window);
        assertEquals(0, limits().size());
        grants.onConsumed(2 * MIN_WINDOW, 0, 2 * MIN_WINDOW + window);
        assertEquals(1, limits().size());
    }

    @Test
    void latestGrantIsResentWhileNoFrameArrives() throws Exception {
        CreditScheduler grants = new CreditScheduler(writer, MIN_WINDOW, Credit.WINDOW);
        for (int seconds = 0; seconds <= 95; seconds++) {
            grants.onSilence(0, Credit.WINDOW + 1, TimeUnit.SECONDS.toNanos(seconds));
        }
        assertEquals(List.of(Credit.WINDOW + 1L, Credit.WINDOW + 1L, Credit.WINDOW + 1L), limits());
        grants.onSilence(0, Credit.WINDOW + 1, 0); // a frame has arrived
        grants.onSilence(0, Credit.WINDOW + 1, TimeUnit.SECONDS.toNanos(30));
        assertEquals(4, limits().size());
    }

    /** A small window was filled and consumed before the sender could be sent anything. */
    @Test
    void senderThatHasUsedItsFirstCreditDoesNotWaitForTheRepetition() throws Exception {
        CreditScheduler grants = new CreditScheduler(writer, MIN_WINDOW, MIN_WINDOW);
        grants.onSilence(MIN_WINDOW, 2 * MIN_WINDOW, 0);
        assertEquals(List.of(2L * MIN_WINDOW), limits());
        grants.onSilence(MIN_WINDOW, 2 * MIN_WINDOW, TimeUnit.SECONDS.toNanos(1));
        assertEquals(1, limits().size(), "sent once");
    }

    /** The last block of 4 MiB takes nine minutes at 64 kbit/s; its sender has closed its end by then. */
    @Test
    void failedWriteIsRetriedAndDoesNotFailTheTransfer() throws Exception {
        List<Integer> writes = new ArrayList<>();
        OutputStream closed = new LaneHook(sent, (write, length) -> {
            writes.add(write);
            throw new IOException("Pipe is already closed");
        });
        CreditScheduler grants = new CreditScheduler(new CreditWriter(closed, Runnable::run), MIN_WINDOW, MIN_WINDOW);
        grants.onConsumed(MIN_WINDOW, MIN_WINDOW, 2 * MIN_WINDOW);
        for (int minutes = 0; minutes < 9; minutes++) {
            grants.onSilence(MIN_WINDOW, 2 * MIN_WINDOW, TimeUnit.MINUTES.toNanos(minutes));
        }
        assertEquals(10, writes.size(), "retried at each call");
    }
}
