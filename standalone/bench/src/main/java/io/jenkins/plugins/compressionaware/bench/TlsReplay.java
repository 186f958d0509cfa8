package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Cpu;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The same bytes over a plain connection and over TLS, both ends in this JVM. */
final class TlsReplay {
    /** About what the plugin hands to the channel at once, bytes. */
    private static final int WRITE = 128 * 1024;

    /** Above this share of CPU time more, encryption counts. */
    private static final double MUCH = 1.25;

    private static final String PASSWORD = "throw-away";

    private final Path temp;
    private final long bytes;

    TlsReplay(Path temp, long bytes) {
        this.temp = temp;
        this.bytes = bytes;
    }

    Replay measure(Rounds rounds) throws IOException, InterruptedException {
        SSLContext tls = context();
        Row plain = Replays.row("random", "plain TCP", bytes);
        Row encrypted = Replays.row("random", tls.getProtocol() + " 1.3, JDK", bytes);
        rounds.add(plain, round -> run(ServerSocketFactory.getDefault(), SocketFactory.getDefault()));
        rounds.add(encrypted, round -> run(tls.getServerSocketFactory(), tls.getSocketFactory()));
        List<Row> rows = rounds.warmUp().run();
        double ratio = Replays.cpu(encrypted) / Replays.cpu(plain);
        double perGigabyte = (Replays.cpu(encrypted) - Replays.cpu(plain)) / (bytes / 1e9);
        String shows = String.format("TLS takes %.2f times the CPU of the plain connection, %.2f s per GB more. ", ratio, perGigabyte)
                + (ratio > MUCH
                        ? "So a byte that the codec removes also saves its encryption at both ends, and the plugin adds no encryption"
                                + " of its own: it leaves that to the channel or to https."
                        : "In this run encryption is nearly free and says nothing for or against a codec.");
        return new Replay("Plain transport against TLS", rows, shows);
    }

    private Sample run(ServerSocketFactory servers, SocketFactory clients) throws IOException {
        byte[] block = new byte[WRITE];
        new Random(1).nextBytes(block);
        try (ServerSocket server = servers.createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(clients, server.getLocalPort(), block));
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                byte[] buffer = new byte[WRITE];
                in.readNBytes(buffer, 0, WRITE);
                // the handshake is over
                long start = System.nanoTime();
                long cpu = Cpu.nanos();
                long left = bytes;
                while (left > 0) {
                    int n = in.read(buffer);
                    if (n < 0) {
                        throw new IOException("The connection has ended early");
                    }
                    left -= n;
                }
                Sample sample = Sample.ofWallAndCpu((System.nanoTime() - start) / 1e9, (Cpu.nanos() - cpu) / 1e9);
                sending.join();
                return sample;
            }
        }
    }

    private void send(SocketFactory clients, int port, byte[] block) {
        try (Socket socket = clients.createSocket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            out.write(block);
            for (long sent = 0; sent < bytes; sent += block.length) {
                out.write(block);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private SSLContext context() throws IOException, InterruptedException {
        Path file = temp.resolve("tls.p12");
        Programs.start(
                        temp,
                        "\"$1\" -genkeypair -alias a -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 2"
                                + " -storetype PKCS12 -keystore \"$2\" -storepass $3",
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        file.toString(),
                        PASSWORD)
                .cpuSeconds();
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD.toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("Cannot make a key for TLS", e);
        }
    }
}
