package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How far a receiver is. One thread moves it on, any may look. */
public final class Progress {
    private final LongAdder rawBytes = new LongAdder();
    private final Set<Codec> codecs = ConcurrentHashMap.newKeySet();
    private volatile boolean waiting = true;

    /** Whether it has nothing to work on. */
    public void waits(boolean now) {
        waiting = now;
    }

    /** One frame more. */
    public void consumed(FrameHeader header) {
        rawBytes.add(header.rawLength());
        if (!header.last()) {
            codecs.add(header.codec());
        }
    }

    /** Bytes of the tar stream that have been consumed. */
    public long rawBytes() {
        return rawBytes.sum();
    }

    /** Those of the frames consumed, in the order of the enum. */
    public Set<Codec> codecs() {
        return new TreeSet<>(codecs);
    }

    /** Whether it waits for the sender: for its first frame, or as there is none to work on. As it was in the end, once that has come. */
    public boolean isWaiting() {
        return waiting;
    }
}
