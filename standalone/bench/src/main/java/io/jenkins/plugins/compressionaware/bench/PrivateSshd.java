package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.testing.Command;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An SSH server on the loopback interface with keys only for this benchmark. */
final class PrivateSshd implements Closeable {
    private static final int CONNECT_ATTEMPTS = 50;

    private final Path folder;
    private final Path config;
    private final Process server;
    private final int port;

    /** @param folder must not exist */
    PrivateSshd(Path folder) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        key("host");
        key("client");
        Files.copy(folder.resolve("client.pub"), folder.resolve("authorized"));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String lines =
                """
                ListenAddress 127.0.0.1:%d
                HostKey %s
                AuthorizedKeysFile %s
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                UsePAM no
                StrictModes no
                PidFile none
                Subsystem sftp internal-sftp
                """
                        .formatted(port, folder.resolve("host"), folder.resolve("authorized"));
        config = Files.writeString(folder.resolve("config"), lines);
        // the server requires this folder, which packages do not create without an init system
        Path separation = Path.of("/run/sshd");
        if (Files.isWritable(separation.getParent())) {
            Files.createDirectories(separation);
        }
        server = new ProcessBuilder(program().orElseThrow(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        waitForServer();
    }

    private void key(String name) throws IOException {
        if (!Command.works("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve(name).toString())) {
            throw new IOException("ssh-keygen failed");
        }
    }

    private void waitForServer() throws IOException, InterruptedException {
        for (int attempt = 0; attempt < CONNECT_ATTEMPTS && server.isAlive(); attempt++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        server.destroy();
        throw new IOException("sshd did not start: " + Files.readString(folder.resolve("log")));
    }

    /** Returns the absolute path, with which sshd must be started, or empty if OpenSSH is not installed. */
    static Optional<String> program() {
        return Stream.of("/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd", "/usr/local/bin/sshd")
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst();
    }

    /** Returns a command that serves one connection, its standard input and output. */
    List<String> oneConnection() {
        return List.of(program().orElseThrow(), "-i", "-e", "-f", config.toString());
    }

    int port() {
        return port;
    }

    /** Returns the private key for the user of this process. */
    String key() throws IOException {
        return Files.readString(keyFile());
    }

    Path keyFile() {
        return folder.resolve("client");
    }

    @Override
    public void close() {
        server.destroy();
    }
}
