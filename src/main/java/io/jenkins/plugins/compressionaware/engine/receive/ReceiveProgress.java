package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The progress of a receiver. One thread updates it; any thread may read it. */
@Restricted(NoExternalUse.class)
public final class ReceiveProgress {
    private final LongSupplier contentBytes;
    private final LongAdder tarBytes = new LongAdder();
    private volatile boolean waiting = true;

    /** Creates the progress of a receiver that does not unpack the tar. */
    public ReceiveProgress() {
        this(() -> -1);
    }

    /** @param contentBytes supplies the value of {@link #contentBytes} */
    public ReceiveProgress(LongSupplier contentBytes) {
        this.contentBytes = contentBytes;
    }

    public void setWaiting(boolean now) {
        waiting = now;
    }

    public void consumed(FrameHeader header) {
        tarBytes.add(header.rawLength());
    }

    /** Returns the bytes of file contents received so far; negative if the receiver does not unpack the tar. */
    public long contentBytes() {
        return contentBytes.getAsLong();
    }

    /** Returns the bytes of the tar in the consumed frames. */
    public long tarBytes() {
        return tarBytes.sum();
    }

    /** Returns whether the receiver waits for a frame; after the transfer, whether it was waiting when the transfer ended. */
    public boolean isWaiting() {
        return waiting;
    }
}
