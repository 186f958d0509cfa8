package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.ExtensionList;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.JumpingClock;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.model.ArtifactManagerConfiguration;
import org.awaitility.Awaitility;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests transfers during which the controller's time of day jumps by days. Cleanup of abandoned files must not delete theirs. */
class ControllerClockTest extends RealJenkinsTestBase {
    private static final long THREE_DAYS = TimeUnit.DAYS.toSeconds(3);

    /** Bytes of a sparse file. */
    private static final int SIZE = 60_000_000;

    /** Bytes sent before the clock jumps. */
    private static final int BYTES_BEFORE_JUMP = 3 << 20;

    @TempDir
    private Path tmp;

    /** The clock jumps once in each of an archive, a stash, an unstash and a fetch. */
    @ParameterizedTest
    @ValueSource(strings = {"off", "required"})
    void transfersCompleteWhenClockJumps(String directLane) throws Throwable {
        JumpingClock clock = new JumpingClock(tmp);
        assumeTrue(clock.works(), "Untested: a jumping clock needs a C compiler");
        clock.environment().forEach(jenkins::extraEnv);
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(ControllerClockTest::jumps, clock.seconds().toString(), directLane);
        jenkins.stopJenkins();
    }

    private static void jumps(JenkinsRule r, String seconds, String directLane) throws Throwable {
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        factory.setCodec("none");
        factory.setDirectLane(directLane);
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
        WorkflowJob job = Pipelines.create(r, "job", """
            node('remote') {
                dir('from') { archiveArtifacts '**'; stash 'x' }
                dir('to') { unstash 'x' }
                dir('fetched') { fetchArtifacts projectName: 'job', selector: specific(env.BUILD_NUMBER) }
            }
            """);
        Path workspace = Pipelines.workspaceOn("remote", job);
        Path from = Files.createDirectories(workspace.resolve("from"));
        Files.writeString(from.resolve("small"), "small");
        Files.write(from.resolve("large"), FileTrees.noise(1 << 16));
        SparseFile.ofLength(from.resolve("large"), SIZE);
        Jumps jumps = new Jumps(Path.of(seconds));
        ExtensionList.lookup(TransferListener.class).add(jumps);
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertEquals(
                List.of(THREE_DAYS, -THREE_DAYS, THREE_DAYS, -THREE_DAYS), jumps.offsets, JenkinsRule.getLog(build));
        Map<String, String> tree = FileTrees.describe(from);
        assertEquals(
                tree,
                FileTrees.describe(Path.of(build.getArtifactManager().root().toURI())));
        assertEquals(tree, FileTrees.describe(workspace.resolve("to")));
        assertEquals(tree, FileTrees.describe(workspace.resolve("fetched")));
        Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertEquals(0, DirectLaneSessions.ALL.inUse());
            assertEquals(0, HeapBudget.ofThisJvm().inUse());
        });
        assertEquals(List.of(), Leftovers.partials(r.jenkins.getRootDir().toPath()));
        assertEquals(List.of(), Leftovers.partials(workspace.getParent()));
        assertTrue(JenkinsRule.getLog(build)
                .lines()
                .noneMatch(line -> line.matches("(Artifacts|Stash|Fetch).* -[0-9].*")));
    }

    /** Lets the clock jump forward and back in turn, once per transfer. */
    private static final class Jumps extends TransferListener {
        private final Path seconds;
        private final long offset;

        /** Seconds by which the time of day of this JVM was ahead after each jump. */
        final List<Long> offsets = Collections.synchronizedList(new ArrayList<>());

        Jumps(Path seconds) {
            this.seconds = seconds;
            offset = ahead();
        }

        private long ahead() {
            return System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) - offset;
        }

        @Override
        public void started(TransferProgress progress) {
            Thread thread = new Thread(() -> jump(progress), "jump");
            thread.setDaemon(true);
            thread.start();
        }

        private void jump(TransferProgress progress) {
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> progress.channelBytes() + progress.directBytes() > BYTES_BEFORE_JUMP);
            try {
                Files.writeString(seconds, Long.toString(offsets.size() % 2 == 0 ? THREE_DAYS : -THREE_DAYS));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // as Jenkins does 15 minutes after its start
            StartupCleanup.journal().deleteAbandoned(TimeUnit.MINUTES.toMillis(15));
            offsets.add(Math.round(ahead() / 1000.0));
        }
    }
}
