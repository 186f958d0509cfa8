package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An SSH server on the loopback interface with keys of its own, which only this benchmark knows. Does nothing where OpenSSH is not installed. */
final class PrivateSshd implements Closeable {
    static final List<String> PROGRAMS = List.of("sshd", "ssh-keygen", "scp");
    private static final int CONNECT_ATTEMPTS = 50;
    /** Clock ticks per second in /proc, on every Linux. */
    private static final double TICKS = 100;

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
                        Programs.find("sshd").orElseThrow().toString(),
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
        Programs.start(folder, "ssh-keygen -q -t ed25519 -N '' -f \"$1\"", file).cpuSeconds();
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
        return PROGRAMS.stream().allMatch(program -> Programs.find(program).isPresent());
    }

    int port() {
        return port;
    }

    /** The private key with which the user of this process may enter. */
    String key() throws IOException {
        return Files.readString(folder.resolve("client"));
    }

    /** Returns the CPU seconds of scp, ssh and the server. */
    double copy(Path from, Path to) throws IOException, InterruptedException {
        double before = serverCpu();
        double client = Programs.start(
                        folder,
                        "scp -qpr -P $3 -i \"$4\" -o BatchMode=yes -o StrictHostKeyChecking=no"
                                + " -o UserKnownHostsFile=/dev/null \"$1/.\" 127.0.0.1:\"$2\"",
                        from.toString(),
                        to.toString(),
                        Integer.toString(port),
                        folder.resolve("client").toString())
                .cpuSeconds();
        // what a child has used counts when it has ended
        server.children().forEach(child -> child.onExit().join());
        return client + serverCpu() - before;
    }

    /** Of the server and its children that have ended. */
    private double serverCpu() throws IOException {
        Path stat = Path.of("/proc", Long.toString(server.pid()), "stat");
        if (!Files.isReadable(stat)) {
            return 0;
        }
        String text = Files.readString(stat);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
        long ticks = 0;
        // utime, stime, cutime and cstime: proc(5), fields 14 to 17, of which the first two are cut off here
        for (int i = 11; i <= 14; i++) {
            ticks += Long.parseLong(fields[i]);
        }
        return ticks / TICKS;
    }

    @Override
    public void close() {
        if (server != null) {
            server.destroy();
        }
    }
}
