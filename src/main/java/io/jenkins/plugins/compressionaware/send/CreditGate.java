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
    private long consumed;

    /**
     * @param listener hears every grant
     */
    CreditGate(InputStream in, Consumer<Credit.Grant> listener) {
        this.in = new DataInputStream(in);
        this.listener = listener;
    }

    /**
     * Returns when the receiver has consumed all but {@link Credit#WINDOW} of {@code total} bytes.
     *
     * @throws EOFException if the receiver has given up
     */
    void await(long total) throws IOException {
        while (!allows(total)) {
            read();
        }
    }

    /** Whether the receiver has consumed all but {@link Credit#WINDOW} of {@code total} bytes. */
    boolean allows(long total) throws IOException {
        // what is there is always read, lest it fills the pipe's buffer
        while (in.available() >= Credit.Grant.BYTES) {
            read();
        }
        return total - consumed <= Credit.WINDOW;
    }

    private void read() throws IOException {
        try {
            Credit.Grant grant = Credit.Grant.read(in);
            consumed = grant.wireBytes();
            listener.accept(grant);
        } catch (EOFException e) {
            throw new IOException("The receiving end has ended the transfer", e);
        }
    }
}
