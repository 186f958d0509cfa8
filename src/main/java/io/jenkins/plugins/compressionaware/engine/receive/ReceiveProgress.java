package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** How far a receiver is. One thread updates it, any may look. */
@Restricted(NoExternalUse.class)
public final class ReceiveProgress {
    private final LongSupplier contentBytes;
    private final LongAdder tarBytes = new LongAdder();
    private volatile boolean waiting = true;

    /** For a receiver that does not look into the tar. */
    public ReceiveProgress() {
        this(() -> -1);
    }

    /** @param contentBytes see {@link #contentBytes} */
    public ReceiveProgress(LongSupplier contentBytes) {
        this.contentBytes = contentBytes;
    }

    /** Sets whether the receiver has nothing to work on. */
    public void setWaiting(boolean now) {
        waiting = now;
    }

    /** Counts a frame. */
    public void consumed(FrameHeader header) {
        tarBytes.add(header.rawLength());
    }

    /** Bytes of files' contents so far; negative if it does not look into the tar. */
    public long contentBytes() {
        return contentBytes.getAsLong();
    }

    /** Bytes of the tar stream in the frames that have been consumed. */
    public long tarBytes() {
        return tarBytes.sum();
    }

    /** Whether the receiver waits for the sender: for the first frame, or because it has none to work on. After the end, whether it did last. */
    public boolean isWaiting() {
        return waiting;
    }
}
