package io.jenkins.plugins.compressionaware.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Forwards connections to ports of the loopback interface with limited bandwidth and added latency. All connections share the bandwidth. */
public final class ShapingProxy implements Closeable {
    /** Bytes, a few Ethernet frames. */
    private static final int CHUNK = 16 * 1024;

    /** Bytes, used without a limit of bandwidth. Large chunks need few system calls, because the measured program shares the CPU with this proxy. */
    private static final int LARGE_CHUNK = 256 * 1024;

    /** Bytes that one connection may have in flight, which is twice as much per round trip: within the largest default buffers of TCP in Linux. */
    private static final int WINDOW = 3 << 20;

    /** Nanoseconds of unused bandwidth that a sender may still use. Threads wake up late, so without it one connection would not reach 1 Gbit/s. */
    private static final long BURST = 1_000_000;

    /** Chunks that the kernel may buffer in addition to the window. */
    private static final int BUFFERED_CHUNKS = 4;

    private final int chunk;
    private final long oneWayNanos;
    private final Line up;
    private final Line down;
    private final List<ServerSocket> servers = new CopyOnWriteArrayList<>();

    /**
     * @param bitsPerSecond   limit of all connections together, in each direction; 0 for no limit
     * @param roundTripMillis added to a round trip, half in each direction
     */
    public ShapingProxy(long bitsPerSecond, double roundTripMillis) {
        chunk = bitsPerSecond == 0 ? LARGE_CHUNK : CHUNK;
        oneWayNanos = (long) (roundTripMillis * 500_000);
        up = new Line(bitsPerSecond);
        down = new Line(bitsPerSecond);
    }

    /** Returns the port that forwards to {@code target}. */
    public int portTo(int target) throws IOException {
        return open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), target, 0);
    }

    /** Forwards from an address, which may be another one of the loopback interface, such as 127.0.0.2 in Linux. A connection opens in a round trip. */
    public void forward(InetSocketAddress from, int target) throws IOException {
        open(from, target, 2 * oneWayNanos);
    }

    private int open(InetSocketAddress from, int target, long handshakeNanos) throws IOException {
        ServerSocket server = new ServerSocket();
        servers.add(server);
        server.setReceiveBufferSize(BUFFERED_CHUNKS * chunk);
        server.bind(from);
        start("accept", () -> {
            while (true) {
                forward(server.accept(), target, handshakeNanos);
            }
        });
        return server.getLocalPort();
    }

    /** Accepts no more connections. Existing connections continue. */
    @Override
    public void close() throws IOException {
        for (ServerSocket server : servers) {
            server.close();
        }
    }

    private void forward(Socket client, int target, long handshakeNanos) throws IOException {
        Socket server = new Socket();
        server.setReceiveBufferSize(BUFFERED_CHUNKS * chunk);
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        } catch (IOException e) {
            client.close();
            server.close();
            return;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        new Direction(client, server, up, System.nanoTime() + handshakeNanos).start();
        new Direction(server, client, down, System.nanoTime()).start();
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException e) {
                        // one of the ends has closed the connection
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    /** Computes when bytes have been sent over a line of limited bandwidth. */
    private static final class Line {
        private final long bitsPerSecond;
        private long free = System.nanoTime();

        Line(long bitsPerSecond) {
            this.bitsPerSecond = bitsPerSecond;
        }

        synchronized long left(int bytes) {
            long now = System.nanoTime();
            if (bitsPerSecond == 0) {
                return now;
            }
            free = Math.max(free, now - BURST) + bytes * 8_000_000_000L / bitsPerSecond;
            return Math.max(free, now);
        }
    }

    /**
     * @param length bytes used; -1 at the end of the stream
     * @param due    time of arrival, as {@link System#nanoTime}
     */
    private record Chunk(byte[] bytes, int length, long due) {}

    private final class Direction {
        private final Socket from;
        private final Socket to;
        private final Line line;
        /** As {@link System#nanoTime}. */
        private final long opened;

        private final BlockingQueue<Chunk> inFlight = new LinkedBlockingQueue<>();
        private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();
        private final Semaphore window = new Semaphore(WINDOW);

        Direction(Socket from, Socket to, Line line, long opened) {
            this.from = from;
            this.to = to;
            this.line = line;
            this.opened = opened;
        }

        void start() {
            ShapingProxy.start("take", this::take);
            ShapingProxy.start("deliver", this::deliver);
        }

        private void take() throws IOException, InterruptedException {
            InputStream in = from.getInputStream();
            sleepUntil(opened);
            try {
                byte[] buffer = buffer();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    window.acquire(n);
                    long left = line.left(n);
                    sleepUntil(left);
                    // copied, so that a few bytes do not keep a large array in flight
                    boolean few = n < chunk / 2;
                    inFlight.add(new Chunk(few ? Arrays.copyOf(buffer, n) : buffer, n, left + oneWayNanos));
                    buffer = few ? buffer : buffer();
                }
            } finally {
                inFlight.add(new Chunk(new byte[0], -1, System.nanoTime() + oneWayNanos));
            }
        }

        private byte[] buffer() {
            byte[] used = spare.poll();
            return used != null ? used : new byte[chunk];
        }

        private void deliver() throws IOException, InterruptedException {
            try {
                OutputStream out = to.getOutputStream();
                for (Chunk next = inFlight.take(); next.length() >= 0; next = inFlight.take()) {
                    sleepUntil(next.due());
                    out.write(next.bytes(), 0, next.length());
                    window.release(next.length());
                    if (next.bytes().length == chunk) {
                        spare.add(next.bytes());
                    }
                }
                to.shutdownOutput();
            } catch (IOException e) {
                // the sender is notified that the receiver has closed the connection
                from.close();
                throw e;
            } finally {
                closeIfDone();
            }
        }

        private void closeIfDone() throws IOException {
            if (from.isOutputShutdown() && to.isOutputShutdown()) {
                from.close();
                to.close();
            }
        }

        private static void sleepUntil(long due) {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }
}
