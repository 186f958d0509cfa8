package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;

/** An unbounded pipe. {@link java.io.PipedInputStream} refuses bytes once the thread of the last read has ended, and a direct lane's thread ends. */
public final class CreditPipe extends InputStream {
    private byte[] bytes = new byte[1024];
    private int start;
    private int end;
    private boolean closed;

    public OutputStream sink() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                put((byte) b);
            }
        };
    }

    private synchronized void put(byte b) throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        if (end == bytes.length) {
            bytes = java.util.Arrays.copyOfRange(bytes, start, start + 2 * bytes.length);
            end -= start;
            start = 0;
        }
        bytes[end++] = b;
        notifyAll();
    }

    @Override
    public synchronized int available() {
        return end - start;
    }

    @Override
    public synchronized int read() throws IOException {
        while (start == end && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // InputStream hides this exception after a partial read; the interrupt makes the next read throw again
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException().initCause(e);
            }
        }
        return start == end ? -1 : bytes[start++] & 0xff;
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
