package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** How far a receiver is. One thread moves it on, any may look. */
@Restricted(NoExternalUse.class)
public final class Progress {
    private final LongSupplier contentBytes;
    private final LongAdder tarBytes = new LongAdder();
    private final Set<Codec> codecs = ConcurrentHashMap.newKeySet();
    private volatile boolean waiting = true;

    /** One that does not look into the tar. */
    public Progress() {
        this(() -> -1);
    }

    /** @param contentBytes see {@link #contentBytes} */
    public Progress(LongSupplier contentBytes) {
        this.contentBytes = contentBytes;
    }

    /** Whether it has nothing to work on. */
    public void waits(boolean now) {
        waiting = now;
    }

    /** One frame more. */
    public void consumed(FrameHeader header) {
        tarBytes.add(header.rawLength());
        if (!header.last()) {
            codecs.add(header.codec());
        }
    }

    /** Bytes of files' contents so far; negative if it does not look into the tar. */
    public long contentBytes() {
        return contentBytes.getAsLong();
    }

    /** Bytes of the tar stream in the frames that have been consumed. */
    public long tarBytes() {
        return tarBytes.sum();
    }

    /** Used so far, in the order of the enum. */
    public Set<Codec> codecs() {
        return new TreeSet<>(codecs);
    }

    /** Whether it waits for the sender: for its first frame, or as there is none to work on. As it was in the end, once that has come. */
    public boolean isWaiting() {
        return waiting;
    }
}
