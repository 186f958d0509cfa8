package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.Flushable;
import java.io.IOException;
import java.io.InputStream;

/** The sender's side of the {@link Credit}. Used by one thread at a time. */
final class CreditGate {
    private final DataInputStream in;
    private volatile long limit;

    /**
     * @param limit first credit, bytes of heap at the receiver
     */
    CreditGate(InputStream in, long limit) {
        this.in = new DataInputStream(in);
        this.limit = limit;
    }

    /**
     * Waits until all frames since the start may take up {@code total} bytes, by {@link Credit#heapCost}.
     *
     * @param keptBack bytes with credit that were not sent yet; flushed before a wait: the receiver may need them to consume anything
     * @throws IOException if the receiver has ended the transfer
     */
    void await(long total, Flushable keptBack) throws IOException {
        if (!allows(total)) {
            keptBack.flush();
        }
        while (!allows(total)) {
            read();
        }
    }

    /** Whether all frames since the start may take up {@code total} bytes, by {@link Credit#heapCost}. */
    boolean allows(long total) throws IOException {
        // always reads what is there, so that the pipe's buffer does not fill up
        while (in.available() >= Credit.Grant.BYTES) {
            read();
        }
        return total <= limit;
    }

    /** Returns the newest limit. Any thread may call this. */
    long limit() {
        return limit;
    }

    private void read() throws IOException {
        try {
            limit = Math.max(limit, Credit.Grant.read(in).limit()); // a grant may be repeated
        } catch (EOFException e) {
            throw new IOException("The receiving end has ended the transfer", e);
        }
    }
}
