package io.jenkins.plugins.compressionaware.testing;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A lane on which a test acts before each write. Writes are counted from 1. */
public final class LaneHook extends FilterOutputStream {
    private final Action action;
    private int writes;

    @FunctionalInterface
    public interface Action {
        /** Returns whether to perform the write. */
        boolean before(int write, int length) throws IOException;
    }

    public LaneHook(OutputStream out, Action action) {
        super(out);
        this.action = action;
    }

    /** Blocks a stream after 6 MiB, when the probe of the direct lanes has started, until the probe has ended. Then makes it slower than direct lanes. */
    public static OutputStream afterProbe(OutputStream out) {
        AtomicLong left = new AtomicLong(6 << 20);
        AtomicBoolean probed = new AtomicBoolean();
        return new LaneHook(out, (write, length) -> {
            if (left.addAndGet(-length) > 0) {
                park(10); // otherwise a first request on a busy machine would seem to use up the credit
            } else {
                while (!probed.get() && runs("direct probe")) {
                    park(1);
                }
                probed.set(true);
                if (runs("direct lane")) {
                    park(20);
                }
            }
            return true;
        });
    }

    private static boolean runs(String role) {
        return Threads.ofTransfers().stream()
                .anyMatch(thread -> thread.getName().endsWith(role));
    }

    private static void park(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (action.before(++writes, length)) {
            out.write(bytes, offset, length);
        }
    }
}
