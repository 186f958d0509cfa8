package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Job;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.remoting.Channel;
import hudson.remoting.Request;
import hudson.remoting.Response;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import jenkins.model.JenkinsLocationConfiguration;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** A build whose agent is behind a {@link CuttingProxy}. Its folder {@code from} has files to transfer. */
final class CutTransfer implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofMinutes(15);

    /** Bytes per second of a link over which a transfer takes several seconds. */
    static final long RATE = 4_000_000;

    final Path from;
    final Path to;
    final String name;
    final CuttingProxy proxy;
    private final JenkinsRule r;
    private final InboundAgentExtension agents;
    private final InboundAgentExtension.Options options;
    private final long heap = HeapBudget.ofThisJvm().inUse();
    private long openFiles = openFiles();
    Slave agent;
    private volatile boolean identified;

    CutTransfer(
            JenkinsRule r,
            InboundAgentExtension agents,
            InboundTransport transport,
            String name,
            Path folder,
            long bytesPerSecond)
            throws Exception {
        this.r = r;
        this.agents = agents;
        this.name = name;
        from = Files.createDirectories(folder.resolve("from"));
        to = Files.createDirectories(folder.resolve("to"));
        r.jenkins.setSlaveAgentPort(r.jenkins.getSlaveAgentPort() > 0 ? r.jenkins.getSlaveAgentPort() : 0);
        boolean tcp = transport == InboundTransport.TCP;
        int port = tcp
                ? r.jenkins.getTcpSlaveAgentListener().getAdvertisedPort()
                : r.getURL().getPort();
        proxy = new CuttingProxy(port, bytesPerSecond);
        // the agent's address of this Jenkins
        JenkinsLocationConfiguration.get()
                .setUrl(tcp ? r.getURL().toString() : "http://127.0.0.1:" + proxy.port() + r.contextPath + "/");
        InboundAgentExtension.Options.Builder builder = InboundAgentExtension.Options.newBuilder()
                .name(name)
                .javaOptions("-Xmx200m", "-XX:TieredStopAtLevel=1");
        options = (tcp ? builder.tunnel("127.0.0.1:" + proxy.port()) : builder.webSocket()).build();
        agent = agents.createAgent(r, options);
        ((Channel) agent.getChannel()).addListener(new Channel.Listener() {
            @Override
            public void onResponse(Channel channel, Request<?, ?> request, Response<?, ?> response, long nanos) {
                identified |= request.toString().contains(WorkspaceIdentityCallable.class.getName());
            }
        });
    }

    /** Counts the descriptors again that must be open at the end, because other agents have connected. */
    void countOpenFiles() throws IOException {
        openFiles = openFiles();
    }

    /** Writes files that cannot be compressed. */
    static void fill(Path folder, int files, int length) throws IOException {
        Random random = new Random(files);
        byte[] content = new byte[length];
        for (int i = 0; i < files; i++) {
            random.nextBytes(content);
            Path file = folder.resolve("d" + i % 3).resolve("file" + i);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        }
    }

    /** Returns the transfer of a build; null if it has none. */
    static TransferProgress running(Run<?, ?> build) {
        return TransferRegistry.get().running().stream()
                .filter(transfer ->
                        transfer.transfer().job().equals(build.getParent().getFullName()))
                .findFirst()
                .orElse(null);
    }

    /** Waits until the workspace is identified and the transfer has moved these bytes since it was interrupted so often. */
    void awaitBytes(Run<?, ?> build, int interruptions, long bytes) {
        await().pollInterval(Duration.ofMillis(20)).atMost(TIMEOUT).until(() -> {
            if (!build.isBuilding()) {
                throw new AssertionError("The build has ended too early: " + JenkinsRule.getLog(build));
            }
            TransferProgress transfer = running(build);
            return transfer != null
                    && transfer.interruptions() == interruptions
                    && transfer.channelBytes() + transfer.directBytes() >= bytes
                    && identified;
        });
    }

    void awaitWaiting(Run<?, ?> build) {
        awaitLog(build, "was lost after");
    }

    static void awaitLog(Run<?, ?> build, String text) {
        await().pollInterval(Duration.ofMillis(50))
                .atMost(TIMEOUT)
                .until(() -> JenkinsRule.getLog(build).contains(text));
    }

    /** Cuts the connection for a while. */
    void cut(long millis) throws Exception {
        proxy.cut();
        Thread.sleep(millis);
        proxy.restore();
    }

    void kill() {
        agents.stop(name);
    }

    /** Starts a new process, which connects. */
    void startAgain() throws Exception {
        agents.start(r, options);
    }

    /** Returns the end of a build, which must come. */
    static <R extends Run<?, ?>> R end(R build) {
        await().atMost(TIMEOUT).until(() -> !build.isBuilding());
        return build;
    }

    FreeStyleProject sourceOf(String job) throws Exception {
        FreeStyleProject source = r.createProject(FreeStyleProject.class, job);
        Path archive = Files.createDirectories(Path.of(
                r.buildAndAssertSuccess(source).getArtifactManager().root().toURI()));
        fill(archive, 40, 400_000);
        return source;
    }

    static long count(Run<?, ?> build, String text) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    /** Asserts that heap, threads, connections, files and folders are as before. */
    void assertNothingRemains(Job<?, ?> job) throws Exception {
        await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
            assertEquals(List.of(), Leftovers.threads(), "threads");
            assertEquals(0, DirectLaneSessions.ALL.inUse(), "connections");
            assertEquals(heap, HeapBudget.ofThisJvm().inUse(), "heap");
            assertEquals(
                    List.of(),
                    AgentProcess.files(ProcessHandle.current().pid())
                            .filter(file -> file.startsWith(job.getRootDir().getPath() + "/builds"))
                            .toList(),
                    "open files");
            assertTrue(openFiles() < openFiles + 100, "descriptors");
        });
        Path home = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts");
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertEquals(List.of(), FileTrees.list(home.resolve("journal"))));
        for (Path folder : List.of(job.getRootDir().toPath(), from, to)) {
            assertEquals(List.of(), Leftovers.partials(folder));
        }
    }

    @Override
    public void close() throws Exception {
        proxy.close();
        agents.stop(name);
        if (r.jenkins.getNode(name) != null) {
            r.jenkins.removeNode(agent);
        }
    }
}
