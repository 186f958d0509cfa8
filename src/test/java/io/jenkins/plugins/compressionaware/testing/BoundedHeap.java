package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;

/** A heap quota with a fixed number of bytes, which counts reserved bytes. Thread-safe. */
public final class BoundedHeap implements DiskHelpers.HeapQuota {
    private final long limit;
    private long taken;
    private long most;

    public BoundedHeap(long limit) {
        this.limit = limit;
    }

    @Override
    public synchronized boolean tryReserve(long bytes) {
        if (bytes > limit - taken) {
            return false;
        }
        taken += bytes;
        most = Math.max(most, taken);
        return true;
    }

    @Override
    public synchronized void release(long bytes) {
        taken -= bytes;
    }

    public synchronized long taken() {
        return taken;
    }

    /** Returns the maximum of bytes reserved at a time. */
    public synchronized long most() {
        return most;
    }
}
