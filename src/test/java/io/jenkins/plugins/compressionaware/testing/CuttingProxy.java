package io.jenkins.plugins.compressionaware.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Forwards connections to a port of this machine at a limited rate, and cuts all of them on command. */
public final class CuttingProxy implements Closeable {
    private static final int CHUNK = 16 * 1024;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final int target;
    private volatile long nanosPerByte;
    private volatile boolean down;

    /** @param bytesPerSecond limit of each direction of each connection */
    public CuttingProxy(int target, long bytesPerSecond) throws IOException {
        this.target = target;
        limit(bytesPerSecond);
        start(() -> {
            while (true) {
                accept(server.accept());
            }
        });
    }

    /** Changes the limit, also of open connections. */
    public void limit(long bytesPerSecond) {
        nanosPerByte = 1_000_000_000 / bytesPerSecond;
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Closes all connections, and from now on each new one. */
    public void cut() throws IOException {
        down = true;
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    /** Forwards new connections again. */
    public void restore() {
        down = false;
    }

    private void accept(Socket near) throws IOException {
        if (down) {
            near.close();
            return;
        }
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        for (Socket socket : new Socket[] {near, far}) {
            socket.setTcpNoDelay(true);
            socket.setReceiveBufferSize(4 * CHUNK);
            sockets.add(socket);
        }
        start(() -> forward(near, far));
        start(() -> forward(far, near));
    }

    private void forward(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[CHUNK];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                long due = System.nanoTime() + n * nanosPerByte;
                out.write(buffer, 0, n);
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // one of the ends has closed the connection
                    }
                },
                "cutting proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
