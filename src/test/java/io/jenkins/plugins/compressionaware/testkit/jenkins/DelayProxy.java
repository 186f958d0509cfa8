package io.jenkins.plugins.compressionaware.testkit.jenkins;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A long line of unlimited bandwidth: what comes in at one end leaves at the other after a fixed time. */
public final class DelayProxy implements Closeable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "delay proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final int target;
    private final long delayNanos;

    private record Parcel(byte[] bytes, long due) {}

    /**
     * @param target port on this machine
     * @param delayMillis one way
     */
    public DelayProxy(int target, long delayMillis) throws IOException {
        this.target = target;
        delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMillis);
        threads.submit(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    private Void accept() throws IOException {
        while (true) {
            Socket near = server.accept();
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            carry(near, far);
            carry(far, near);
        }
    }

    private void carry(Socket from, Socket to) {
        BlockingQueue<Parcel> line = new LinkedBlockingQueue<>();
        threads.submit(() -> {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                line.put(new Parcel(Arrays.copyOf(buffer, n), System.nanoTime() + delayNanos));
            }
            line.put(new Parcel(new byte[0], System.nanoTime() + delayNanos));
            return null;
        });
        threads.submit(() -> {
            OutputStream out = to.getOutputStream();
            for (Parcel parcel = line.take(); parcel.bytes.length > 0; parcel = line.take()) {
                TimeUnit.NANOSECONDS.sleep(parcel.due - System.nanoTime());
                out.write(parcel.bytes);
            }
            to.close();
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
