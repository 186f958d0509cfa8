package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Receives the grants of {@link Credit}, and makes the sender wait until a frame fits within them. Used by one thread at a time. */
@Restricted(NoExternalUse.class)
public final class CreditGate {
    private final DataInputStream in;
    private final long spent;
    private volatile long limit;

    /**
     * @param limit initial credit, bytes of the receiver's heap
     * @param spent bytes of this credit that earlier senders of the transfer have used
     */
    public CreditGate(InputStream in, long limit, long spent) {
        this.in = new DataInputStream(in);
        this.limit = limit;
        this.spent = spent;
    }

    /**
     * Waits until {@code total} bytes are granted for all frames of this sender, by {@link Credit#heapCost}.
     *
     * @throws IOException if the receiver ended the transfer
     */
    public void await(long total) throws IOException {
        while (!allows(total)) {
            read();
        }
    }

    /** Returns whether {@code total} bytes are granted for all frames of this sender, by {@link Credit#heapCost}. */
    public boolean allows(long total) throws IOException {
        // reads every grant that has arrived, so that the pipe's buffer does not fill up
        while (in.available() >= Long.BYTES) {
            read();
        }
        return spent + total <= limit;
    }

    /** Returns the bytes of the latest limit that remain once the frames of this sender use {@code total}, by {@link Credit#heapCost}. Any thread may call this. */
    public long left(long total) {
        return limit - spent - total;
    }

    /** Returns the latest limit. Any thread may call this. */
    public long limit() {
        return limit;
    }

    private void read() throws IOException {
        try {
            limit = Math.max(limit, in.readLong()); // a grant may be repeated
        } catch (EOFException e) {
            throw new IOException("The receiving end has ended the transfer", e);
        }
    }
}
