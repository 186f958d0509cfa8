package io.jenkins.plugins.compressionaware.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for this machine, which this JVM trusts from {@link #trust} to {@link #close}. */
public final class Tls implements Closeable {
    public static final String PASSWORD = "changeit";
    private static final String ALIAS = "server";

    private final SSLSocketFactory before = HttpsURLConnection.getDefaultSSLSocketFactory();
    private final Path folder;
    private final KeyStore keys;
    private final SSLContext context;

    private Tls(Path folder, Path store) throws IOException, GeneralSecurityException {
        this.folder = folder;
        keys = KeyStore.getInstance("PKCS12");
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

    /** Creates key and certificate with the JDK's keytool. */
    public static Tls create(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(("-genkeypair -keyalg EC -alias " + ALIAS + " -dname CN=localhost"
                        + " -ext SAN=dns:localhost,ip:127.0.0.1 -validity 2 -storetype PKCS12 -storepass " + PASSWORD)
                .split(" ")));
        command.addAll(List.of("-keystore", store.toString()));
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("keytool failed");
        }
        return new Tls(folder, store);
    }

    /** Returns a trust store that contains the certificate. The password is {@link #PASSWORD}. */
    public Path store() throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate(ALIAS));
        Path file = folder.resolve("trusted.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            trusted.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    /** Returns a PEM file. */
    public Path certificate() throws IOException, GeneralSecurityException {
        return pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    }

    /** Returns a PEM file. */
    public Path key() throws IOException, GeneralSecurityException {
        return pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
    }

    private Path pem(String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(type.replace(' ', '-') + ".pem"),
                "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }

    public SSLContext context() {
        return context;
    }

    public void trust() {
        HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    }

    @Override
    public void close() {
        HttpsURLConnection.setDefaultSSLSocketFactory(before);
    }
}
