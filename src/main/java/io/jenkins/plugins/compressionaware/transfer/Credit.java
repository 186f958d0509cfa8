package io.jenkins.plugins.compressionaware.transfer;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Flow control between the two ends: the receiver tells how many bytes it has consumed since the start, and the sender is never
 * more than {@link #WINDOW} ahead of that. So the receiver can take every chunk at once, without ever holding up the
 * thread that reads the channel, and its memory stays bounded.
 */
final class Credit {
    /** Bytes in flight at most: twice the windows of eight remoting streams, so that these are what counts on a long link. */
    static final int WINDOW = 16 << 20;

    /** The receiver speaks once per so many bytes. */
    private static final int STEP = WINDOW / 16;

    /** Until so many bytes it speaks more often: the sender learns from it how fast the link is. */
    private static final int START = 1 << 20;

    /** Bytes between two messages until then. All that a sender has left unread at its end stays below a kilobyte. */
    private static final int EARLY_STEP = START / 8;

    private Credit() {}

    /**
     * What the receiver says, counted since its start.
     *
     * @param wireBytes    bytes of the frames it has consumed
     * @param rawBytes     bytes of their blocks
     * @param waitingNanos time in which it had no frame to work on
     * @param elapsedNanos time since the first frame
     */
    record Grant(long wireBytes, long rawBytes, long waitingNanos, long elapsedNanos) {
        private static final int BYTES = 4 * Long.BYTES;

        private static Grant read(DataInputStream in) throws IOException {
            return new Grant(in.readLong(), in.readLong(), in.readLong(), in.readLong());
        }

        private byte[] toBytes() {
            return ByteBuffer.allocate(BYTES)
                    .putLong(wireBytes)
                    .putLong(rawBytes)
                    .putLong(waitingNanos)
                    .putLong(elapsedNanos)
                    .array();
        }
    }

    /** The sender's side. Used by one thread at a time. */
    static final class Gate {
        private final DataInputStream in;
        private final Consumer<Grant> listener;
        private long consumed;

        /**
         * @param listener hears every grant
         */
        Gate(InputStream in, Consumer<Grant> listener) {
            this.in = new DataInputStream(in);
            this.listener = listener;
        }

        /**
         * Returns when the receiver has consumed all but {@link #WINDOW} of {@code total} bytes.
         *
         * @throws EOFException if the receiver has given up
         */
        void await(long total) throws IOException {
            while (!allows(total)) {
                read();
            }
        }

        /** Whether the receiver has consumed all but {@link #WINDOW} of {@code total} bytes. */
        boolean allows(long total) throws IOException {
            // what is there is always read, lest it fills the pipe's buffer
            while (in.available() >= Grant.BYTES) {
                read();
            }
            return total - consumed <= WINDOW;
        }

        private void read() throws IOException {
            try {
                Grant grant = Grant.read(in);
                consumed = grant.wireBytes;
                listener.accept(grant);
            } catch (EOFException e) {
                throw new IOException("The receiving end has ended the transfer", e);
            }
        }
    }

    /** The receiver's side. Used by one thread. */
    static final class Grants {
        private final OutputStream out;
        private long told;
        private boolean senderGone;

        Grants(OutputStream out) {
            this.out = out;
        }

        /**
         * Tells the sender, if it is time to. One that has sent everything no longer listens, so a failure to tell it is none of the
         * transfer.
         *
         * @throws InterruptedIOException with the thread's interrupt status set
         */
        void consumed(Grant grant) throws InterruptedIOException {
            if (senderGone || grant.wireBytes - told < (grant.wireBytes <= START ? EARLY_STEP : STEP)) {
                return;
            }
            told = grant.wireBytes;
            try {
                out.write(grant.toBytes());
            } catch (InterruptedIOException e) {
                Thread.currentThread().interrupt();
                throw e;
            } catch (IOException e) {
                senderGone = true;
            }
        }
    }
}
