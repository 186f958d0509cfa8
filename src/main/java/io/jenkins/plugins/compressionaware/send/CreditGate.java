package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.DataInputStream;
import java.io.EOFException;
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
     * @param beforeWaiting sends what was kept back, if this has to wait: the receiver may need it to consume anything
     * @throws EOFException if the receiver has given up
     */
    void await(long total, KeptBack beforeWaiting) throws IOException {
        if (!allows(total)) {
            beforeWaiting.send();
        }
        while (!allows(total)) {
            read();
        }
    }

    /** Bytes of frames that have their credit, and that a lane has not sent yet. */
    @FunctionalInterface
    interface KeptBack {
        /** Of a lane that keeps nothing back. */
        KeptBack NOTHING = () -> {};

        void send() throws IOException;
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
