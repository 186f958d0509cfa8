package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** An SSH server on the loopback interface with keys of its own, which only this benchmark knows. Does nothing where OpenSSH is not installed. */
final class PrivateSshd implements Closeable {
    private static final int CONNECT_ATTEMPTS = 50;

    private final Path folder;
    private Process server;
    private int port;

    /**
     * @param folder does not exist yet
     */
    PrivateSshd(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        if (!isPossible()) {
            return;
        }
        Files.createDirectories(folder);
        key("host");
        key("client");
        Files.copy(folder.resolve("client.pub"), folder.resolve("authorized"));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.writeString(
                folder.resolve("config"),
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
                        .formatted(port, folder.resolve("host"), folder.resolve("authorized")));
        // it refuses to start without this folder, and not even a package creates it where there is no init system
        Path separation = Path.of("/run/sshd");
        if (Files.isWritable(separation.getParent())) {
            Files.createDirectories(separation);
        }
        server = new ProcessBuilder(
                        program("sshd").orElseThrow(),
                        "-D",
                        "-e",
                        "-f",
                        folder.resolve("config").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        waitForServer();
    }

    private void key(String name) throws IOException, InterruptedException {
        String file = folder.resolve(name).toString();
        int code = new ProcessBuilder(program("ssh-keygen").orElseThrow(), "-q", "-t", "ed25519", "-N", "", "-f", file)
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("ssh-keygen: exit code " + code);
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
        throw new IOException("sshd does not start: " + Files.readString(folder.resolve("log")));
    }

    /** Whether what it needs is installed. */
    static boolean isPossible() {
        return program("sshd").isPresent() && program("ssh-keygen").isPresent();
    }

    /** Its path, if it is installed. */
    private static Optional<String> program(String name) {
        return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    int port() {
        return port;
    }

    /** The private key with which the user of this process may enter. */
    String key() throws IOException {
        return Files.readString(folder.resolve("client"));
    }

    @Override
    public void close() {
        if (server != null) {
            server.destroy();
        }
    }
}
