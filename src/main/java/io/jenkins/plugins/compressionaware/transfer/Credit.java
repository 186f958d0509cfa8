package io.jenkins.plugins.compressionaware.transfer;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Flow control between the two ends: the receiver tells how many bytes it has consumed since the start, eight bytes at a time, and the
 * sender is never more than {@link #WINDOW} ahead of that. So the receiver can take every chunk at once, without ever holding up the
 * thread that reads the channel, and its memory stays bounded.
 */
final class Credit {
    /** Bytes in flight at most: twice the windows of eight remoting streams, so that these are what counts on a long link. */
    static final int WINDOW = 16 << 20;

    /** The receiver speaks once per so many bytes. */
    private static final int STEP = WINDOW / 16;

    private Credit() {}

    /** The sender's side. Used by one thread at a time. */
    static final class Gate {
        private final DataInputStream in;
        private long consumed;

        Gate(InputStream in) {
            this.in = new DataInputStream(in);
        }

        /**
         * Returns when the receiver has consumed all but {@link #WINDOW} of {@code total} bytes.
         *
         * @throws EOFException if the receiver has given up
         */
        void await(long total) throws IOException {
            // what is there is always read, lest it fills the pipe's buffer
            while (total - consumed > WINDOW || in.available() >= Long.BYTES) {
                try {
                    consumed = in.readLong();
                } catch (EOFException e) {
                    throw new IOException("The receiving end has ended the transfer", e);
                }
            }
        }
    }

    /** The receiver's side. Used by one thread. */
    static final class Grants {
        private final OutputStream out;
        private long consumed;
        private long told;
        private boolean senderGone;

        Grants(OutputStream out) {
            this.out = out;
        }

        /**
         * Counts bytes as consumed. A sender that has sent everything no longer listens, so a failure to tell it is none of the transfer.
         *
         * @throws InterruptedIOException with the thread's interrupt status set
         */
        void consume(int bytes) throws InterruptedIOException {
            consumed += bytes;
            if (senderGone || consumed - told < STEP) {
                return;
            }
            told = consumed;
            try {
                out.write(ByteBuffer.allocate(Long.BYTES).putLong(consumed).array());
            } catch (InterruptedIOException e) {
                Thread.currentThread().interrupt();
                throw e;
            } catch (IOException e) {
                senderGone = true;
            }
        }
    }
}
