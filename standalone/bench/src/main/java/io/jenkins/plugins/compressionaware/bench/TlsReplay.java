package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.DataInputStream;
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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** 64 MiB over a plain connection and over TLS, both ends in this JVM. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class TlsReplay {
    /** About what the plugin hands to the channel at once, bytes. */
    private static final int WRITE = 128 * 1024;

    private static final int WRITES = 512;
    private static final char[] PASSWORD = "throw-away".toCharArray();

    @Param({"plain", "TLS"})
    public String transport;

    private final byte[] block = new byte[WRITE];
    private final byte[] received = new byte[WRITE];
    private Socket from;
    private Socket to;

    @Setup
    public void connect() throws Exception {
        new Random(1).nextBytes(block);
        SSLContext tls = context();
        boolean plain = transport.equals("plain");
        ServerSocketFactory servers = plain ? ServerSocketFactory.getDefault() : tls.getServerSocketFactory();
        SocketFactory clients = plain ? SocketFactory.getDefault() : tls.getSocketFactory();
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

    private static SSLContext context() throws IOException, InterruptedException, GeneralSecurityException {
        try (TempFolder temp = new TempFolder()) {
            Path file = temp.path().resolve("tls.p12");
            Programs.start(
                            temp.path(),
                            "\"$1\" -genkeypair -alias a -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 2"
                                    + " -storetype PKCS12 -keystore \"$2\" -storepass $3",
                            JavaProgram.path("keytool"),
                            file.toString(),
                            new String(PASSWORD))
                    .cpuSeconds();
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        }
    }
}
