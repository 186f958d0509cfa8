package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.FilePath;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.remoting.Channel;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.FreezingDisk;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.transfer.PackedCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;
import org.jenkinsci.plugins.pipeline.modeldefinition.properties.PreserveStashesJobProperty;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs the build of one {@link FaultCase} and strikes its transfer with the fault. */
final class FaultScenario extends TransferListener implements AutoCloseable {
    /** Bytes sent before the fault strikes. */
    private static final int BYTES_BEFORE_FAULT = 3 << 20;

    /** Until the fault strikes: the first steps of the build may take long on a busy machine. */
    private static final Duration SETUP_TIMEOUT = Duration.ofMinutes(5);

    /** Nanoseconds per byte of a link over which compression saves time. */
    private static final double SLOW_NANOS_PER_BYTE = 800;

    static final Duration TIMEOUT = Duration.ofSeconds(30);

    /**
     * Remoting can miss the end of a TCP connection to which it writes (docs/upstream.md). The channel is then closed
     * by Jenkins' ping, which runs every 5 minutes and times out after 4.
     */
    private static final Duration PING_TIMEOUT = Duration.ofMinutes(10);

    final JenkinsRule r;
    final FaultCase cell;
    final AgentProcess agent;

    /** Folder of the files to archive, stash or fetch. */
    final Path from;

    /** Workspace that receives files from an unstash or a fetch. */
    final Path to;

    final Path builds;
    final FaultyHttpProxy proxy;

    private final WorkflowJob job;
    private final AutoCloseable prepared;
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile Map<String, String> stashes;
    private volatile FutureTask<Void> strike;
    private volatile TransferInfo struck;
    private volatile TransferResult.Outcome outcome;
    WorkflowRun build;
    FreezingDisk freezing;
    private boolean isDestinationLinked;

    FaultScenario(JenkinsRule r, FaultCase cell, AgentProcess agent, Path folder) throws Exception {
        this.r = r;
        this.cell = cell;
        this.agent = agent;
        job = r.createProject(WorkflowJob.class, folder.getFileName().toString());
        builds = job.getRootDir().toPath().resolve("builds");
        to = folder.resolve("to");
        prepared = cell.fault().prepare(this);
        Files.createDirectories(to);
        proxy = cell.way() == TransportKind.PROXY
                ? new FaultyHttpProxy(r.getURL().getPort(), body -> null)
                : null;
        JenkinsLocationConfiguration.get()
                .setUrl(
                        proxy == null
                                ? r.getURL().toString()
                                : "http://127.0.0.1:" + proxy.port() + r.contextPath + "/");
        if (cell.operation() == Operation.FETCH) {
            FreeStyleProject source = r.createFreeStyleProject(job.getName() + "-source");
            Run<?, ?> build = r.buildAndAssertSuccess(source);
            from = Files.createDirectories(
                    Path.of(build.getArtifactManager().root().toURI()));
        } else {
            from = Files.createDirectories(folder.resolve("from"));
        }
        Files.writeString(from.resolve("small"), "new");
        Files.writeString(to.resolve("small"), "old");
        Files.writeString(from.resolve("z"), "last");
        Files.write(large(), FileTrees.noise(1 << 16));
        SparseFile.ofLength(large(), cell.fault().size);
        // else stashes are deleted at the end of the build
        job.addProperty(new PreserveStashesJobProperty());
        job.setDefinition(new CpsFlowDefinition(expand(cell.operation().script), true));
    }

    Path large() {
        return from.resolve("large");
    }

    /** Returns the file from which the transfer reads. */
    Path readFile() {
        return cell.operation() == Operation.UNSTASH ? builds.resolve("1/stashes/x.tar.zst") : large();
    }

    /** @return whether the change succeeded */
    static boolean setChangeable(Path folder, boolean changeable) {
        return Command.works("chattr", changeable ? "-i" : "+i", folder.toString());
    }

    /** Returns a folder that does not exist, where the disk that receives the files can be mounted. */
    Path mountPoint() throws IOException {
        Path folder = cell.operation().toAgent() ? to : builds;
        Files.deleteIfExists(folder);
        return folder;
    }

    FreezingDisk mountFreezingDisk() throws IOException {
        freezing = FreezingDisk.mount(mountPoint());
        return freezing;
    }

    /** Mounts a disk only for the files of the transfer, since a build cannot end while the disk of its own log is frozen. */
    FreezingDisk mountFreezingDiskForFiles() throws IOException {
        Files.deleteIfExists(to);
        freezing = FreezingDisk.mount(to);
        isDestinationLinked = !cell.operation().toAgent();
        return freezing;
    }

    /** Mounts the folder of packed copies, and makes the transfer pack: the artifacts of a fetch, or an uncompressed stash again. */
    FreezingDisk mountFreezingDiskForCopies() throws IOException {
        Path packed = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts/packed");
        Files.deleteIfExists(packed);
        Files.createDirectories(packed.getParent());
        freezing = FreezingDisk.mount(packed);
        if (cell.operation() == Operation.FETCH) {
            setCodec("gzip");
        }
        return freezing;
    }

    private static void setCodec(String codec) {
        ArtifactManagerConfiguration.get()
                .getArtifactManagerFactories()
                .get(CompressionAwareArtifactManagerFactory.class)
                .setCodec(codec);
    }

    /** Makes the transfer, which has just started, pack, and aborts it then. */
    void abortWhilePacking() throws Exception {
        if (cell.operation() == Operation.UNSTASH) {
            setCodec("auto");
            AgentProfile.of(new FilePath(agent.channel(), to.toString()), job.getFullName())
                    .put(AgentProfile.Property.DOWNLINK, SLOW_NANOS_PER_BYTE);
        }
        Thread abort = new Thread(() -> {
            await().atMost(TIMEOUT).until(FaultScenario::isPacking);
            build.doStop();
        });
        abort.setDaemon(true);
        abort.start();
    }

    private static boolean isPacking() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(call -> call.getClassName().equals(PackedCopy.class.getName()));
    }

    /** Waits until the receiver has created the first file, if the receiver is an agent. */
    void awaitFirstFile() {
        if (cell.operation().toAgent()) {
            await().pollInterval(Duration.ofMillis(1)).until(() -> Files.exists(to.resolve("large")));
        }
    }

    /** Returns the folder that receives the files. */
    Path target() {
        return switch (cell.operation()) {
            case ARCHIVE, PACK -> builds.resolve("1/archive");
            case STASH -> builds.resolve("1/stashes");
            default -> to;
        };
    }

    @Override
    public void close() throws Exception {
        if (proxy != null) {
            proxy.close();
        }
        prepared.close();
    }

    String expand(String text) {
        return text.replace("{from}", from.toString())
                .replace("{to}", to.toString())
                .replace("{agent}", agent.name())
                .replace("{job}", job.getName());
    }

    @Override
    public void started(TransferProgress progress) {
        TransferInfo transfer = progress.transfer();
        if (!transfer.job().equals(job.getFullName())) {
            return;
        }
        running.incrementAndGet();
        if (isDestinationLinked && started.get() == 0) {
            linkDestination();
        }
        // the first archive or stash makes the files that must remain
        int first = cell.operation().toAgent() ? 1 : 2;
        if (transfer.operation() == cell.operation().operation && started.incrementAndGet() == first) {
            struck = transfer;
            stashes = RemainingFiles.described(builds.resolve("1/stashes"));
            strike = new FutureTask<>(() -> {
                while (!cell.fault().atStart()
                        && progress.channelBytes() + progress.directBytes() < BYTES_BEFORE_FAULT) {
                    assertTrue(running.get() > 0, "the transfer ended before the fault");
                    LockSupport.parkNanos(100_000);
                }
                cell.fault().strike(this);
                return null;
            });
            if (cell.fault().atStart()) {
                strike.run();
                return;
            }
            Thread thread = new Thread(strike, "fault");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void linkDestination() {
        try {
            Files.createSymbolicLink(target(), Files.createDirectory(to.resolve("destination")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        ended(transfer, TransferResult.Outcome.COMPLETED);
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable thrown) {
        ended(transfer, result.outcome);
    }

    private void ended(TransferInfo transfer, TransferResult.Outcome how) {
        if (transfer.job().equals(job.getFullName())) {
            if (transfer == struck) {
                outcome = how;
            }
            running.decrementAndGet();
        }
    }

    /** Runs the build until it and all of its transfers have ended. */
    void play() throws Exception {
        ExtensionList<TransferListener> listeners = ExtensionList.lookup(TransferListener.class);
        listeners.add(this);
        try {
            Map<String, String> expected = FileTrees.describe(from);
            Channel channel = agent.channel();
            build = job.scheduleBuild2(0).waitForStart();
            await().atMost(SETUP_TIMEOUT).until(() -> strike != null || !build.isBuilding());
            assertTrue(strike != null, () -> log());
            strike.get(SETUP_TIMEOUT.toMinutes(), TimeUnit.MINUTES);
            if (cell.fault() == Fault.AGENT_KILLED
                    && cell.way() == TransportKind.TCP
                    && cell.operation().toAgent()) {
                await().atMost(PING_TIMEOUT).until(channel::isClosingOrClosed);
            }
            await().atMost(TIMEOUT).until(() -> !build.isBuilding());
            cell.fault().relieve(this);
            await().atMost(TIMEOUT).until(() -> running.get() == 0);
            r.assertBuildStatus(cell.result(), build);
            String says = expand(cell.says().replace("{failed}", cell.operation().failed));
            assertTrue(log().contains(says), this::log);
            assertEquals(cell.outcome(), outcome, this::log);
            new RemainingFiles(this, outcome).check(expected, stashes);
        } finally {
            listeners.remove(this);
        }
    }

    String log() {
        try {
            return JenkinsRule.getLog(build);
        } catch (Exception e) {
            return e.toString();
        }
    }
}
