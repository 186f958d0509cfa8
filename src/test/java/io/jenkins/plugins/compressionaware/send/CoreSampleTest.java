package io.jenkins.plugins.compressionaware.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CoreSampleTest {
    private static final int BLOCK = 256 << 10;

    /** Of a transfer that pays for a few blocks: the cost of one is not known before. */
    private static final long MUCH = TimeUnit.SECONDS.toNanos(100);

    private final byte[] block = new byte[BLOCK];
    private final AtomicInteger started = new AtomicInteger();
    private volatile Thread last;
    private final TransferThreads threads = new TransferThreads(new ThreadTimes(), task -> {
        started.incrementAndGet();
        last = new Thread(task);
        return last;
    });

    @BeforeEach
    void forgetOthers() throws Exception {
        ThreadTimes.begin();
        new Random(1).nextBytes(block);
        // what tests before have saved up is spent
        do {
            started.set(0);
            transfer(0);
        } while (started.get() > 0);
        transfer(0);
        started.set(0);
    }

    private Usage transfer(long cpu) throws Exception {
        CoreSample sample = new CoreSample(threads);
        sample.submitted(block, BLOCK);
        Usage taken = sample.take(cpu);
        sample.close();
        if (last != null) {
            last.join();
        }
        return taken;
    }

    @Test
    void aBlockIsMeasuredAndToldWithTheNextReport() throws Exception {
        assertNull(transfer(MUCH));
        Usage told = transfer(0);
        assertNotNull(told);
        assertEquals(new Choice(Codec.GZIP, 6), told.choice());
        assertEquals(BLOCK, told.rawBytes());
        assertTrue(told.wireBytes() > BLOCK, "noise does not shrink");
        assertTrue(told.nanos() > 0);
        assertNull(transfer(0), "told twice");
    }

    @Test
    void nothingIsMeasuredWhileAnotherTransferRuns() throws Exception {
        CoreSample other = new CoreSample(threads);
        transfer(MUCH);
        assertEquals(0, started.get());
        other.close();
        assertEquals(0, started.get());
        transfer(0);
        assertEquals(1, started.get(), "it was paid for");
    }

    @Test
    void allTogetherTakeAHundredth() throws Exception {
        long cpu = 0;
        long sampled = 0;
        long largest = 0;
        for (int i = 0; i < 400; i++) {
            Usage told = transfer(TimeUnit.MILLISECONDS.toNanos(50));
            cpu += TimeUnit.MILLISECONDS.toNanos(50);
            if (told != null) {
                sampled += told.nanos();
                largest = Math.max(largest, told.nanos());
            }
        }
        assertTrue(sampled > 0);
        assertTrue(sampled <= cpu / 100 + largest, sampled + " of " + cpu);
    }

    @Test
    void unknownTimeIsNoTime() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertNull(transfer(-1));
        }
        assertEquals(0, started.get());
    }
}
