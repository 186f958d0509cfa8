package io.jenkins.plugins.compressionaware.pages;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.Util;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentTransfer;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferChoice;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.remote.Sample;
import io.jenkins.plugins.compressionaware.report.Formats;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.shipping.AboutAgent;
import io.jenkins.plugins.compressionaware.shipping.AgentCodecs;
import io.jenkins.plugins.compressionaware.shipping.AgentFacts;
import io.jenkins.plugins.compressionaware.shipping.AgentJar;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
 * Sends sample data from one agent with every codec, as artifacts are sent: each for about a second, and at most {@value #MOST_FILES} files of {@link
 * Sample#FILE_SIZE} bytes. One thread runs it, others may read.
 */
@Restricted(NoExternalUse.class)
public final class Trial {
    private static final Logger LOGGER = Logger.getLogger(Trial.class.getName());

    /** Files of the shortest transfer; each following one has four times as many. */
    private static final int FEWEST_FILES = 1;

    private static final int MOST_FILES = 256;

    /** A transfer that took this long shows enough, milliseconds. The next would take up to four times as long. */
    private static final long LONG_ENOUGH = 400;

    /** Seconds after which the trial is over, finished or not: the network may be slow, or the agent may hang. */
    private static final int TIME_LIMIT = 60;

    /** Seconds for an agent to delete its sample, beyond that limit. */
    private static final int LAST_ANSWER = 10;

    private static final List<TransferChoice> CHOICES = List.of(
            TransferChoice.saved("none", null),
            TransferChoice.saved("gzip", 6),
            TransferChoice.saved("lz4", null),
            TransferChoice.saved("zstd", 1),
            TransferChoice.saved("zstd", 3),
            TransferChoice.saved("zstd", 9),
            TransferChoice.saved(TransferSettings.AUTO, null));

    private final int seconds;
    private final List<Row> rows = new CopyOnWriteArrayList<>();
    private volatile double roundTripMillis = -1;
    private volatile Localizable problem;
    private volatile boolean running = true;

    Trial() {
        this(TIME_LIMIT);
    }

    /** @param seconds after which the trial is over */
    Trial(int seconds) {
        this.seconds = seconds;
    }

    /**
     * @param name   codec and level
     * @param remark what was used instead, and why; empty if nothing
     */
    public record Row(String name, TransferResult result, String remark) {}

    public List<Row> getRows() {
        return rows;
    }

    /** Milliseconds, as text; empty until it is known. */
    public String getRoundTrip() {
        return roundTripMillis < 0 ? "" : getFormats().number(roundTripMillis);
    }

    /** The choice of {@code auto} and its reason; null until it is known. */
    @CheckForNull
    public String getAuto() {
        return rows.stream()
                .map(Row::result)
                .filter(result -> result.limit != null)
                .findFirst()
                .map(result -> LogLine.codecs(result, getFormats()))
                .orElse(null);
    }

    /** For the page. */
    public Formats getFormats() {
        return Formats.ofReader();
    }

    public boolean isRunning() {
        return running;
    }

    /** Why the trial ended early; null if it did not. */
    public String getProblem() {
        Localizable current = problem;
        return current == null ? null : current.toString();
    }

    void run(Computer computer) {
        ScheduledFuture<?> limit = Timer.get().schedule(Thread.currentThread()::interrupt, seconds, TimeUnit.SECONDS);
        try {
            VirtualChannel channel = computer.getChannel();
            Node node = computer.getNode();
            FilePath root = node == null ? null : node.getRootPath();
            if (channel == null || root == null) {
                problem = Messages._Trial_lost(computer.getDisplayName());
                return;
            }
            AgentFacts facts = AboutAgent.of(channel);
            roundTripMillis = facts.roundTrip().nanos() / 1e6;
            // now, so that no measurement pays for it
            AgentCodecs.bring(channel, facts.platform());
            AgentJar.SAMPLE.bring(channel);
            run(root);
        } catch (InterruptedException e) {
            problem = Messages._Trial_tooLong(seconds);
        } catch (Throwable e) { // even an error must not look like a complete trial
            LOGGER.log(Level.INFO, "Trial of artifact transfer from " + computer.getName() + " failed", e);
            problem = computer.isOffline()
                    ? Messages._Trial_lost(computer.getDisplayName())
                    : Messages._Trial_failed(e.getMessage() == null ? e.toString() : e.getMessage());
        } finally {
            limit.cancel(false);
            running = false;
        }
    }

    private void run(FilePath root) throws IOException, InterruptedException {
        // on the disk of the archives; the name is fixed, so that the next trial deletes what a crash left behind
        File scratch = new File(Jenkins.get().getRootDir(), "artifact-transfer-trial");
        FilePath sample = root.createTempDir("artifact-transfer-trial", null);
        try {
            Util.deleteRecursive(scratch);
            sample.act(new Sample());
            measure(CHOICES.get(0), sample, scratch); // not shown: it sends the classes and warms up both ends
            for (TransferChoice choice : CHOICES) {
                rows.add(measure(choice, sample, scratch));
            }
        } finally {
            boolean interrupted = Thread.interrupted();
            Util.deleteRecursive(scratch);
            delete(sample);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** On another thread: an agent that does not answer must not hold the one thread of all trials. */
    private static void delete(FilePath sample) throws InterruptedException {
        Future<?> deleting = Computer.threadPoolForRemoting.submit(() -> {
            sample.deleteRecursive();
            return null;
        });
        try {
            deleting.get(LAST_ANSWER, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            deleting.cancel(true);
            LOGGER.log(Level.FINE, "The agent has gone, or does not answer, and keeps its sample", e);
        }
    }

    private Row measure(TransferChoice choice, FilePath sample, File scratch) throws IOException, InterruptedException {
        for (int files = FEWEST_FILES; ; files *= 4) {
            ByteArrayOutputStream log = new ByteArrayOutputStream();
            TransferResult result = transfer(choice, files, sample, scratch, log);
            if (result.duration >= LONG_ENOUGH || files == MOST_FILES) {
                return new Row(
                        choice.level() == null ? choice.codec() : choice.codec() + " " + choice.level(),
                        result,
                        log.toString(StandardCharsets.UTF_8).strip());
            }
        }
    }

    private static TransferResult transfer(
            TransferChoice choice, int files, FilePath sample, File scratch, OutputStream log)
            throws IOException, InterruptedException {
        TransferSettings settings = GlobalPolicy.configured().settings().with(choice);
        RunningTransfer running =
                RunningTransfer.unheard(new Transfer(Transfer.Kind.ARCHIVE, "", 0, "", null, files, null));
        TransferResult result = new AgentTransfer(sample, new PrintStream(log, true, StandardCharsets.UTF_8), running)
                .archive(Sample.files(files), scratch.toPath().resolve("archive"), settings);
        Util.deleteRecursive(scratch);
        return result;
    }
}
