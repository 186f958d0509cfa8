package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.testkit.Tls;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** 64 MiB over a plain connection and over TLS, both ends in this JVM. */
public class TlsReplay extends Replayed {
    /** About what the plugin hands to the channel at once, bytes. */
    private static final int WRITE = 128 * 1024;

    private static final int WRITES = 512;

    @Param({"plain", "TLS"})
    public String transport;

    private final byte[] block = new byte[WRITE];
    private final byte[] received = new byte[WRITE];
    private Socket from;
    private Socket to;

    @Setup
    public void connect() throws Exception {
        new Random(1).nextBytes(block);
        boolean plain = transport.equals("plain");
        try (TempFolder temp = new TempFolder()) {
            SSLContext tls = Tls.create(temp.path()).context();
            connect(
                    plain ? ServerSocketFactory.getDefault() : tls.getServerSocketFactory(),
                    plain ? SocketFactory.getDefault() : tls.getSocketFactory());
        }
    }

    private void connect(ServerSocketFactory servers, SocketFactory clients) throws IOException {
        try (ServerSocket server = servers.createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            from = clients.createSocket(InetAddress.getLoopbackAddress(), server.getLocalPort());
            to = server.accept();
        }
    }

    @TearDown
    public void close() throws IOException {
        // the other end may wait for an answer to its farewell
        to.close();
        from.close();
    }

    @Benchmark
    public void transfer() throws IOException {
        CompletableFuture<Void> sending = CompletableFuture.runAsync(this::send);
        DataInputStream in = new DataInputStream(to.getInputStream());
        for (int i = 0; i < WRITES; i++) {
            in.readFully(received);
        }
        sending.join();
    }

    private void send() {
        try {
            OutputStream out = from.getOutputStream();
            for (int i = 0; i < WRITES; i++) {
                out.write(block);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
