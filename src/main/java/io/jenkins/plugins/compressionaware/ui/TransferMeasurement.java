package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.Util;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManager;
import io.jenkins.plugins.compressionaware.agent.WriteSampleCallable;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferOverride;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import jenkins.util.Timer;
import org.jvnet.localizer.Localizable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Measures the speed of archiving sample data from one agent, with Jenkins' own transfer and with each codec. Measures each of them in two rounds, and shows
 * the faster result. One thread runs the test; any thread may read the results.
 */
@Restricted(NoExternalUse.class)
public final class TransferMeasurement {
    private static final Logger LOGGER = Logger.getLogger(TransferMeasurement.class.getName());

    /** Maximum number of files in the sample, each of {@link WriteSampleCallable#FILE_SIZE} bytes. */
    private static final int MAX_FILES = 256;

    /** Minimum milliseconds of Jenkins' own transfer, usually the slowest. If it is faster, the sample is enlarged. */
    private static final long MIN_SAMPLE_MILLIS = 1000;

    private static final int ROUNDS = 2;

    /** Seconds after which the test is stopped, because the network may be slow or the agent may hang. */
    static final int TIME_LIMIT = 60;

    /** Additional seconds for the agent to delete the sample. */
    private static final int CLEANUP_SECONDS = 10;

    private static final List<TransferOverride> CHOICES = List.of(
            TransferOverride.unchecked("none", null),
            TransferOverride.unchecked("gzip", 6),
            TransferOverride.unchecked("lz4", null),
            TransferOverride.unchecked("zstd", 1),
            TransferOverride.unchecked("zstd", 3),
            TransferOverride.unchecked("zstd", 9),
            TransferOverride.unchecked(TransferSettings.AUTO, null));

    private final int seconds;

    /** Jenkins' own transfer, then each of {@link #CHOICES}, of which {@code auto} is the last. */
    private final List<Row> rows = new CopyOnWriteArrayList<>();

    private volatile long bytes;
    private volatile double roundTripMillis = -1;
    private volatile Localizable problem;
    private volatile boolean running = true;

    TransferMeasurement(int seconds) {
        this.seconds = seconds;
    }

    /**
     * The fastest measurement of one codec and level, or of Jenkins' own transfer.
     *
     * @param name   codec and level; empty for Jenkins' own transfer
     * @param result null for Jenkins' own transfer
     * @param remark log lines of the transfer, such as the replacement of a codec that does not load; empty if there are none
     */
    public record Row(
            String name, long millis, @CheckForNull TransferResult result, String remark) {
        public boolean isAuto() {
            return name.equals(TransferSettings.AUTO);
        }
    }

    public List<Row> getRows() {
        return rows;
    }

    public long getBytes() {
        return bytes;
    }

    /** Returns the speed of {@code auto} as a multiple of Jenkins' own speed; null until both are measured. */
    @CheckForNull
    public String getGain() {
        return rows.size() <= CHOICES.size()
                ? null
                : String.format(
                        getFormats().locale(),
                        "%.1f",
                        (double) rows.get(0).millis() / rows.get(CHOICES.size()).millis());
    }

    /** Returns the round trip in milliseconds as text; empty if not yet known. */
    public String getRoundTrip() {
        return roundTripMillis < 0 ? "" : getFormats().number(roundTripMillis);
    }

    /** Returns the codecs that {@code auto} chose; null until measured. */
    @CheckForNull
    public String getAuto() {
        return rows.stream()
                .filter(Row::isAuto)
                .findFirst()
                .map(row -> BuildLogMessages.codecs(row.result(), getFormats()))
                .orElse(null);
    }

    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }

    public boolean isRunning() {
        return running;
    }

    /** Returns the reason for an early end of the test; null if there is none. */
    public String getProblem() {
        Localizable current = problem;
        return current == null ? null : current.toString();
    }

    synchronized void interrupt(Thread thread) {
        if (running) {
            thread.interrupt();
        }
    }

    /** Ends the test. No interrupt reaches this thread afterwards, when it may run the test of another agent. */
    synchronized void end() {
        running = false;
        Thread.interrupted();
    }

    /** Makes a remote call that the time limit cannot cut short, see {@link UninterruptedCommand}. */
    private static <T> T remotely(FilePath folder, Callable<T> call) throws IOException, InterruptedException {
        return UninterruptedCommand.await(UninterruptedCommand.submit(folder.getChannel(), call));
    }

    void run(Computer computer) {
        Thread thread = Thread.currentThread();
        ScheduledFuture<?> limit = Timer.get().schedule(() -> interrupt(thread), seconds, TimeUnit.SECONDS);
        try {
            VirtualChannel channel = computer.getChannel();
            Node node = computer.getNode();
            FilePath root = node == null ? null : node.getRootPath();
            if (channel == null || root == null) {
                problem = Messages._TransferMeasurement_lost(computer.getDisplayName());
                return;
            }
            AgentInfo facts = AgentInfo.of(channel);
            roundTripMillis = facts.roundTrip().nanos() / 1e6;
            // sent before the first measurement, which would otherwise include their delivery
            for (CodecLibrary library : CodecLibrary.values()) {
                CodecDelivery.deliver(channel, facts.platform(), library);
            }
            AgentJar.SAMPLE.preload(channel);
            run(root);
        } catch (Throwable e) { // an incomplete test must not look like a complete one, even after an error
            String reason = BuildLogMessages.oneLine(Causes.reason(e));
            LOGGER.log(Level.INFO, "The artifact transfer test of agent {0} failed: {1}", new Object[] {
                computer.getName(), reason
            });
            LOGGER.log(Level.FINE, "The trace of the failed artifact transfer test", e);
            if (limit.isDone()) {
                problem = Messages._TransferMeasurement_tooLong(seconds);
            } else if (computer.isOffline()) {
                problem = Messages._TransferMeasurement_lost(computer.getDisplayName());
            } else {
                problem = Messages._TransferMeasurement_failed(reason);
            }
        } finally {
            limit.cancel(false);
            end();
        }
    }

    private void run(FilePath root) throws IOException, InterruptedException {
        // on the disk with the archives; with a fixed name, so that the next test deletes leftovers of a crash
        File scratch = new File(Jenkins.get().getRootDir(), "artifact-transfer-speed-test");
        FilePath sample = remotely(root, () -> root.createTempDir("artifact-transfer-speed-test", null));
        try {
            Util.deleteRecursive(scratch);
            remotely(sample, () -> sample.act(new WriteSampleCallable()));
            int count = 2;
            // the first transfer also loads classes, so its time is not recorded
            byJenkins(sample, WriteSampleCallable.files(count), scratch);
            while (count < MAX_FILES
                    && byJenkins(sample, WriteSampleCallable.files(count), scratch)
                                    .millis()
                            < MIN_SAMPLE_MILLIS) {
                count *= 2;
            }
            Map<String, String> files = WriteSampleCallable.files(count);
            // loads this plugin's classes, so its time is not recorded either
            bytes = Objects.requireNonNull(
                            byPlugin(CHOICES.get(0), sample, files, scratch).result())
                    .rawBytes;
            for (int round = 0; round < ROUNDS; round++) {
                record(0, byJenkins(sample, files, scratch));
                for (int i = 0; i < CHOICES.size(); i++) {
                    record(i + 1, byPlugin(CHOICES.get(i), sample, files, scratch));
                }
            }
        } finally {
            boolean interrupted = Thread.interrupted();
            try {
                Util.deleteRecursive(scratch);
            } finally {
                delete(sample);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Deletes the sample on another thread, so that an unresponsive agent does not block the only thread for speed tests. */
    private static void delete(FilePath sample) throws InterruptedException {
        Future<?> deleting = Computer.threadPoolForRemoting.submit(() -> {
            sample.deleteRecursive();
            return null;
        });
        try {
            deleting.get(CLEANUP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOGGER.log(Level.FINE, "The sample remains on the agent, which is disconnected or does not answer", e);
        }
    }

    private void record(int index, Row row) {
        if (index == rows.size()) {
            rows.add(row);
        } else if (row.millis() < rows.get(index).millis()) {
            rows.set(index, row);
        }
    }

    private static Row byJenkins(FilePath sample, Map<String, String> files, File scratch)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        remotely(sample, () -> {
            CompressionAwareArtifactManager.copyAsCore(sample, files, scratch.toPath(), false);
            return null;
        });
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        Util.deleteRecursive(scratch);
        return new Row("", Math.max(1, millis), null, "");
    }

    private static Row byPlugin(TransferOverride choice, FilePath sample, Map<String, String> files, File scratch)
            throws IOException, InterruptedException {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        TransferSettings settings = GlobalSettings.get().settings().with(choice);
        RunningTransfer running = RunningTransfer.withoutListeners(
                new TransferInfo(TransferInfo.Operation.ARCHIVE, "", 0, "", null, files.size(), null));
        Files.createDirectory(scratch.toPath()); // a transfer never creates the folder of a build
        TransferResult result = new UploadTransfer(sample, new PrintStream(log, true, StandardCharsets.UTF_8), running)
                .archive(files, scratch.toPath().resolve("archive"), settings, null);
        Util.deleteRecursive(scratch);
        return new Row(
                choice.level == null ? choice.codec : choice.codec + " " + choice.level,
                result.duration,
                result,
                log.toString(StandardCharsets.UTF_8).strip());
    }
}
