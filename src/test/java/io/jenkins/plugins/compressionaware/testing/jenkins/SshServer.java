package io.jenkins.plugins.compressionaware.testing.jenkins;

import com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey;
import com.cloudbees.plugins.credentials.CredentialsScope;
import com.cloudbees.plugins.credentials.SystemCredentialsProvider;
import hudson.plugins.sshslaves.SSHLauncher;
import hudson.plugins.sshslaves.verifiers.NonVerifyingKeyVerificationStrategy;
import hudson.slaves.DumbSlave;
import hudson.slaves.RetentionStrategy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jvnet.hudson.test.JenkinsRule;

/** An OpenSSH server on the loopback interface with its own keys, for the user who runs the test. */
public final class SshServer implements AutoCloseable {
    private final Path folder;
    private final int port;
    private final Process server;

    /** @param folder empty */
    public SshServer(Path folder) throws Exception {
        this.folder = folder;
        key("host");
        key("client");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.writeString(
                folder.resolve("config"), """
                ListenAddress 127.0.0.1:%d
                HostKey %s
                AuthorizedKeysFile %s
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                UsePAM no
                StrictModes no
                PidFile none
                Subsystem sftp internal-sftp
                """.formatted(port, folder.resolve("host"), folder.resolve("client.pub")));
        // the server requires this folder, which packages do not create without an init system
        Path separation = Path.of("/run/sshd");
        if (Files.isWritable(separation.getParent())) {
            Files.createDirectories(separation);
        }
        server = new ProcessBuilder(
                        sshd().orElseThrow().toString(),
                        "-D",
                        "-e",
                        "-f",
                        folder.resolve("config").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(this::answers);
    }

    /** Returns whether OpenSSH's server is installed. */
    public static boolean isPossible() {
        return sshd().isPresent();
    }

    private static Optional<Path> sshd() {
        return Stream.of("/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    private void key(String name) throws Exception {
        String file = folder.resolve(name).toString();
        Process made = new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file)
                .inheritIO()
                .start();
        if (made.waitFor() != 0) {
            throw new IOException("ssh-keygen failed");
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns an agent that Jenkins starts over this server. */
    public DumbSlave agent(JenkinsRule r, String name) throws Exception {
        SystemCredentialsProvider.getInstance()
                .getCredentials()
                .add(new BasicSSHUserPrivateKey(
                        CredentialsScope.SYSTEM,
                        name,
                        System.getProperty("user.name"),
                        new BasicSSHUserPrivateKey.DirectEntryPrivateKeySource(
                                Files.readString(folder.resolve("client"))),
                        null,
                        null));
        SSHLauncher launcher = new SSHLauncher(
                "127.0.0.1",
                port,
                name,
                "",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "export LC_ALL=C.UTF-8 && ",
                "",
                60,
                0,
                1,
                new NonVerifyingKeyVerificationStrategy());
        DumbSlave agent = new DumbSlave(name, folder.resolve("agent-" + name).toString(), launcher);
        agent.setRetentionStrategy(RetentionStrategy.NOOP);
        r.jenkins.addNode(agent);
        try {
            agent.toComputer().connect(false).get();
        } catch (ExecutionException e) {
            throw new IOException(agent.toComputer().getLog(), e);
        }
        return agent;
    }

    @Override
    public void close() {
        server.destroy();
    }
}
