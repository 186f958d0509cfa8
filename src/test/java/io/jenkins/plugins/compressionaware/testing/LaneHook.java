package io.jenkins.plugins.compressionaware.testing;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
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

    /** Blocks a stream after 6 MiB, when the probe of the direct lanes has started, until the probe has ended. */
    public static OutputStream untilProbed(OutputStream out) {
        AtomicLong left = new AtomicLong(6 << 20);
        return new LaneHook(out, (write, length) -> {
            boolean before = left.get() > 0;
            if (left.addAndGet(-length) <= 0 && before) {
                while (Threads.ofTransfers().stream()
                        .anyMatch(thread -> thread.getName().endsWith("direct probe"))) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
            return true;
        });
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (action.before(++writes, length)) {
            out.write(bytes, offset, length);
        }
    }
}
