package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.Flushable;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/** The sender's side of the {@link Credit}. Used by one thread at a time. */
final class CreditGate {
    private final DataInputStream in;
    private final Consumer<Credit.Grant> listener;
    private long limit;

    /**
     * @param limit    what the sender may begin with, bytes of heap at the receiver
     * @param listener hears every grant
     */
    CreditGate(InputStream in, long limit, Consumer<Credit.Grant> listener) {
        this.in = new DataInputStream(in);
        this.limit = limit;
        this.listener = listener;
    }

    /**
     * Returns when all frames since the start may take up {@code total} bytes, by {@link Credit#heapOf}.
     *
     * @param keptBack what has its credit and was not sent yet; is flushed if this has to wait: the receiver may need it to consume anything
     * @throws EOFException if the receiver has given up
     */
    void await(long total, Flushable keptBack) throws IOException {
        if (!allows(total)) {
            keptBack.flush();
        }
        while (!allows(total)) {
            read();
        }
    }

    /** Whether all frames since the start may take up {@code total} bytes, by {@link Credit#heapOf}. */
    boolean allows(long total) throws IOException {
        // what is there is always read, lest it fills the pipe's buffer
        while (in.available() >= Credit.Grant.BYTES) {
            read();
        }
        return total <= limit;
    }

    private void read() throws IOException {
        try {
            Credit.Grant grant = Credit.Grant.read(in);
            limit = grant.limit();
            listener.accept(grant);
        } catch (EOFException e) {
            throw new IOException("The receiving end has ended the transfer", e);
        }
    }
}
