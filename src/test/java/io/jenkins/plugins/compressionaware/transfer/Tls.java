package io.jenkins.plugins.compressionaware.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for this machine that nobody has signed, and a JVM that trusts it for a while. */
public final class Tls implements Closeable {
    public static final String PASSWORD = "changeit";

    private final SSLSocketFactory before = HttpsURLConnection.getDefaultSSLSocketFactory();
    private final Path store;
    private final SSLContext context;

    private Tls(Path store) throws IOException, GeneralSecurityException {
        this.store = store;
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        others.init(keys);
        context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), others.getTrustManagers(), null);
    }

    /** Makes key and certificate with the JDK's keytool. */
    public static Tls create(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        run(
                "keytool", "-genkeypair", "-keyalg", "EC", "-alias", "server", "-dname", "CN=localhost",
                "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-validity", "2", "-storetype", "PKCS12",
                "-keystore", store.toString(), "-storepass", PASSWORD);
        return new Tls(store);
    }

    private static void run(String tool, String... arguments) throws IOException, InterruptedException {
        java.util.List<String> command = new java.util.ArrayList<>(java.util.List.of(arguments));
        command.add(0, Path.of(System.getProperty("java.home"), "bin", tool).toString());
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException(tool + " failed");
        }
    }

    /** A PKCS12 key store with {@link #PASSWORD}; works as a trust store, too, once it holds the certificate alone. */
    public Path store() {
        return store;
    }

    public SSLContext context() {
        return context;
    }

    void trust() {
        HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    }

    @Override
    public void close() {
        HttpsURLConnection.setDefaultSSLSocketFactory(before);
    }
}
