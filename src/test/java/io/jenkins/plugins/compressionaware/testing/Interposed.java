package io.jenkins.plugins.compressionaware.testing;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A proxy on this machine before an HTTP server, with one thread per connection. */
abstract class Interposed implements Closeable {
    final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final int target;

    /** @param target port of the server on this machine */
    Interposed(int target) throws IOException {
        this.target = target;
    }

    /** Starts to accept connections. A constructor calls this last. */
    final void listen() {
        start(() -> {
            while (true) {
                Socket near = server.accept();
                near.setTcpNoDelay(true); // a head and a body would wait 40 ms for each other
                sockets.add(near);
                start(() -> {
                    try (near) {
                        serve(near);
                    }
                });
            }
        });
    }

    /** Serves all requests of a connection. */
    abstract void serve(Socket near) throws IOException;

    final Socket far() throws IOException {
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        far.setTcpNoDelay(true);
        return far;
    }

    public final int port() {
        return server.getLocalPort();
    }

    /** Returns the number of connections so far. */
    public final int connections() {
        return sockets.size();
    }

    private interface Task {
        void run() throws IOException;
    }

    private void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // one of the ends has closed the connection
                    }
                },
                getClass().getSimpleName());
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the next head on a connection, or null at the end. */
    static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            if (b == '\n' && head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                return head.toString(StandardCharsets.ISO_8859_1);
            }
        }
        return null;
    }

    /** Returns the length of the body after this head. */
    static int length(String head) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).trim()))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
