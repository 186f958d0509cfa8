package io.jenkins.plugins.compressionaware.testing.jenkins;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.Command;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** A real reverse proxy in a separate process. */
public final class Nginx implements Closeable {
    private final Process process;
    private final Path folder;
    private final int port;

    /**
     * Starts one server.
     *
     * @param folder     empty
     * @param listen     follows the port in the listen directive, such as {@code ssl}
     * @param directives of the server block
     */
    public Nginx(Path folder, String listen, String directives) throws IOException, InterruptedException {
        this(folder, port -> """
                    map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
                    server {
                        listen 127.0.0.1:%d %s;
                %s
                    }
                """.formatted(port, listen, directives));
    }

    /**
     * Starts nginx with a configuration such as those in {@code /etc/nginx/conf.d}.
     *
     * @param folder empty
     * @param http   creates the configuration from the port
     */
    public Nginx(Path folder, IntFunction<String> http) throws IOException, InterruptedException {
        assumeTrue(
                Command.works("nginx", "-v"),
                "Untested: direct lanes through a real proxy (body limit, buffering, path prefix, https) need nginx");
        this.folder = folder;
        port = freePort();
        Files.createDirectories(folder.resolve("tmp"));
        Path configuration = folder.resolve("nginx.conf");
        Files.writeString(configuration, """
                %s
                daemon off;
                worker_processes 1;
                error_log error.log info;
                pid nginx.pid;
                events { worker_connections 200; }
                http {
                    access_log access.log;
                    client_body_temp_path tmp/body;
                    proxy_temp_path tmp/proxy;
                    fastcgi_temp_path tmp/fastcgi;
                    uwsgi_temp_path tmp/uwsgi;
                    scgi_temp_path tmp/scgi;
                %s
                }
                """.formatted(user(), http.apply(port)));
        process = new ProcessBuilder("nginx", "-p", folder.toString(), "-c", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        awaitStart();
    }

    /** Root's worker would run as another user, which cannot write request bodies to our folder. */
    private static String user() {
        String name = System.getProperty("user.name");
        return name.equals("root") ? "user root;" : "";
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitStart() throws IOException, InterruptedException {
        for (int i = 0; i < 100; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (!process.isAlive()) {
                    throw new IOException(Files.readString(folder.resolve("output")), e);
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new IOException("nginx does not listen");
    }

    public int port() {
        return port;
    }

    /** Returns the number of requests to the endpoint with this status. */
    public long requests(int status) throws IOException {
        return Files.readAllLines(folder.resolve("access.log")).stream()
                .filter(line -> line.contains("POST ") && line.contains("artifact-transfer-lane/"))
                .filter(line -> line.contains("\" " + status + " "))
                .count();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
