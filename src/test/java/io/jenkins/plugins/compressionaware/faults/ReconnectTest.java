package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.Meter;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Run;
import hudson.remoting.Channel;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.staging.ArchiveLock;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import jenkins.metrics.api.Metrics;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The connection to an agent is cut during a transfer, and comes back: the transfer continues, and its result equals the workspace. {@code -Dfaults=REGEX}
 * selects cases.
 */
@Timeout(7200)
class ReconnectTest extends ReconnectTestBase {
    /** Number of files that have more than the bytes which an agent requests ahead. */
    private static final int REQUESTED_AHEAD = (int) (Credit.WINDOW / 400_000) + 1;

    @TestFactory
    Stream<DynamicTest> cases() {
        usePlugin();
        return Stream.of(
                        newCase("engine over TCP", InboundTransport.TCP, this::engine),
                        newCase("engine over WebSocket", InboundTransport.WEBSOCKET, this::engine),
                        newCase("direct HTTP over WebSocket", InboundTransport.WEBSOCKET, this::directLane),
                        newCase("bootstrap call", InboundTransport.TCP, this::bootstrapCall),
                        newCase("twice", InboundTransport.WEBSOCKET, this::twice),
                        newCase("killed and started anew", InboundTransport.TCP, this::killed),
                        newCase("changed file", InboundTransport.TCP, this::changedFile),
                        newCase("stash", InboundTransport.TCP, this::stash),
                        newCase("packed", InboundTransport.WEBSOCKET, this::packed),
                        newCase("store", InboundTransport.TCP, this::store),
                        newCase("unstash", InboundTransport.TCP, this::unstash),
                        newCase("direct HTTP unstash", InboundTransport.WEBSOCKET, this::directUnstash),
                        newCase("unstash in a new process", InboundTransport.WEBSOCKET, this::unstashInNewProcess),
                        newCase("fetch", InboundTransport.WEBSOCKET, this::fetch),
                        newCase("commit", InboundTransport.TCP, this::commit),
                        newCase("freestyle", InboundTransport.TCP, this::freestyle),
                        newCase("fingerprints", InboundTransport.TCP, this::fingerprints))
                .filter(test -> test.getDisplayName().matches(System.getProperty("faults", ".*")));
    }

    private DynamicTest newCase(String name, InboundTransport transport, Case test) {
        long rate = name.equals("bootstrap call") ? CutTransfer.RATE / 10 : CutTransfer.RATE;
        return newCase(name, transport, rate, cut -> {
            factory.setCodec(name.equals("bootstrap call") ? "auto" : "none");
            factory.setDirectHttp(name.startsWith("direct") ? "auto" : "off");
            factory.setStorage(name.equals("packed") ? "packed" : "files");
            test.run(cut);
        });
    }

    private void engine(CutTransfer cut) throws Exception {
        Meter resumed = Metrics.metricRegistry().meter("jenkins.artifact_transfer.resumed");
        long before = resumed.getCount();
        WorkflowRun build = archiving(cut);
        cut.awaitBytes(build, 0, 6_000_000);
        cut.cut(1000);
        assertArchived(cut, build, "once");
        assertEquals(before + 1, resumed.getCount());
        BuildTransfersAction transfers = build.getAction(BuildTransfersAction.class);
        assertEquals(1, transfers.getTotal().resumed);
        TransferResult result = transfers.getTransfers().get(0);
        assertEquals(1, result.interruptions);
        assertEquals(40, result.files);
        assertEquals(40 * 400_000, result.rawBytes);
        assertTrue(result.channelBytes < 40 * 400_000 + 5_000_000, result.channelBytes + " bytes were sent");
    }

    private void directLane(CutTransfer cut) throws Exception {
        CutTransfer.fill(cut.from, 100, 400_000);
        WorkflowRun build = start(cut, "archiveArtifacts '**'");
        cut.awaitBytes(build, 0, 6_000_000);
        await().atMost(CutTransfer.TIMEOUT).until(() -> {
            assertTrue(build.isBuilding(), "the build has ended too early");
            return CutTransfer.running(build) != null
                    && CutTransfer.running(build).directBytes() > 0;
        });
        cut.cut(1000);
        assertArchived(cut, build, "once");
    }

    private void bootstrapCall(CutTransfer cut) throws Exception {
        CutTransfer.fill(cut.from, 30, 100_000);
        WorkflowRun build = job(cut, "archiveArtifacts '**'").scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 900_000);
        assertFalse(AgentInfo.hasEngine((Channel) cut.agent.getChannel()), "the engine is not loaded yet");
        cut.cut(1000);
        assertArchived(cut, build, "once");
    }

    /** The agent begins a new object. That of the lost connection is deleted. */
    private void store(CutTransfer cut) throws Exception {
        TestStore store = TestStore.start();
        try (CuttingProxy slow = new CuttingProxy(TestStore.port(), CutTransfer.RATE)) {
            factory.setStore(store.over(slow.port()).setting());
            WorkflowRun build = archiving(cut);
            cut.awaitBytes(build, 0, 6_000_000);
            cut.cut(1000);
            r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
            for (String name : FileTrees.names(cut.from).keySet()) {
                try (InputStream in =
                        build.getArtifactManager().root().child(name).open()) {
                    assertArrayEquals(Files.readAllBytes(cut.from.resolve(name)), in.readAllBytes(), name);
                }
            }
            assertInterrupted(build, "once");
            cut.assertNothingRemains(build.getParent());
            await().untilAsserted(() -> assertEquals(1, store.keys().size()));
            await().untilAsserted(() -> assertEquals(0, store.unfinished()));
        } finally {
            factory.setStore(null);
        }
    }

    private void twice(CutTransfer cut) throws Exception {
        WorkflowRun build = archiving(cut);
        cut.awaitBytes(build, 0, 5_000_000);
        cut.cut(1000);
        cut.awaitBytes(build, 1, 10_000_000);
        cut.cut(1000);
        assertArchived(cut, build, "twice");
    }

    private void killed(CutTransfer cut) throws Exception {
        WorkflowRun build = archiving(cut);
        cut.awaitBytes(build, 0, 6_000_000);
        cut.kill();
        cut.awaitWaiting(build);
        cut.startAgain();
        assertArchived(cut, build, "once");
    }

    /** The file had not arrived when the connection was cut. */
    private void changedFile(CutTransfer cut) throws Exception {
        WorkflowRun build = archiving(cut);
        cut.awaitBytes(build, 0, 5_000_000);
        cut.proxy.cut();
        cut.awaitWaiting(build);
        Files.writeString(cut.from.resolve("d2/file8"), "changed meanwhile"); // the last one in the order of names
        Files.writeString(cut.from.resolve("d2/file38"), "changed meanwhile");
        cut.proxy.restore();
        assertArchived(cut, build, "once");
    }

    private void stash(CutTransfer cut) throws Exception {
        CutTransfer.fill(cut.from, 40, 400_000);
        WorkflowJob job = job(cut, "stash 's'\n dir('%s') { unstash 's' }".formatted(cut.to));
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 6_000_000);
        cut.cut(1000);
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertEquals(FileTrees.describe(cut.from), FileTrees.describe(cut.to));
        assertInterrupted(build, "once");
        assertEquals(1, CutTransfer.count(build, "Stashed 40 file(s)"));
        cut.assertNothingRemains(job);
    }

    private void packed(CutTransfer cut) throws Exception {
        WorkflowRun build = archiving(cut);
        cut.awaitBytes(build, 0, 6_000_000);
        cut.cut(1000);
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertInterrupted(build, "once");
        assertEquals(40, build.getArtifacts().size());
        for (String name : FileTrees.names(cut.from).keySet()) {
            try (var content = build.getArtifactManager().root().child(name).open()) {
                assertArrayEquals(Files.readAllBytes(cut.from.resolve(name)), content.readAllBytes(), name);
            }
        }
        cut.assertNothingRemains(build.getParent());
    }

    private WorkflowRun unstashing(CutTransfer cut) throws Exception {
        Files.writeString(cut.to.resolve("before"), "stays");
        return unstashing(cut, 120);
    }

    private void assertUnpacked(CutTransfer cut, Run<?, ?> build, Path expected) throws Exception {
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertEquals("stays", Files.readString(cut.to.resolve("before")));
        Files.delete(cut.to.resolve("before"));
        assertEquals(FileTrees.describe(expected), FileTrees.describe(cut.to));
        assertInterrupted(build, "once");
        cut.assertNothingRemains(build.getParent());
    }

    /** Returns when each complete file in the target was last written. */
    private static Map<String, Object> complete(CutTransfer cut, Path expected) throws Exception {
        Map<String, String> found = FileTrees.describe(cut.to);
        Map<String, Object> times = new TreeMap<>();
        for (Map.Entry<String, String> file : FileTrees.describe(expected).entrySet()) {
            if (!file.getValue().equals("folder") && file.getValue().equals(found.get(file.getKey()))) {
                times.put(file.getKey(), Files.getAttribute(cut.to.resolve(file.getKey()), "unix:ctime"));
            }
        }
        return times;
    }

    /** Waits for complete files, and returns when each was last written. */
    private static Map<String, Object> awaitFiles(CutTransfer cut, WorkflowRun build, Path expected, int files)
            throws Exception {
        cut.awaitBytes(build, 0, 1);
        await().atMost(CutTransfer.TIMEOUT).until(() -> complete(cut, expected).size() >= files || !build.isBuilding());
        assertTrue(build.isBuilding(), () -> "The build has ended too early: " + build.getResult());
        return complete(cut, expected);
    }

    /** Cuts the connection for a while, and asserts that complete files are not written again. */
    private void cutAndAssertUnpacked(CutTransfer cut, WorkflowRun build, Path expected) throws Exception {
        Map<String, Object> before = awaitFiles(cut, build, expected, 4);
        awaitFiles(cut, build, expected, before.size() + REQUESTED_AHEAD); // later requests confirm the first files
        cut.cut(1000);
        assertUnpacked(cut, build, expected);
        Map<String, Object> after = complete(cut, expected);
        int files = after.size();
        after.keySet().retainAll(before.keySet());
        assertEquals(before, after);
        List<TransferResult> transfers =
                build.getAction(BuildTransfersAction.class).getTransfers();
        assertEquals(files, transfers.get(transfers.size() - 1).files);
        assertEquals(files * 400_000L, transfers.get(transfers.size() - 1).rawBytes);
    }

    private void unstash(CutTransfer cut) throws Exception {
        cutAndAssertUnpacked(cut, unstashing(cut), cut.from);
    }

    private void directUnstash(CutTransfer cut) throws Exception {
        WorkflowRun build = unstashing(cut);
        cutAndAssertUnpacked(cut, build, cut.from);
        List<TransferResult> transfers =
                build.getAction(BuildTransfersAction.class).getTransfers();
        assertTrue(transfers.get(transfers.size() - 1).directBytes > 0, "direct HTTP transfer is used");
    }

    private void unstashInNewProcess(CutTransfer cut) throws Exception {
        WorkflowRun build = unstashing(cut);
        Map<String, Object> before = awaitFiles(cut, build, cut.from, 4);
        awaitFiles(cut, build, cut.from, before.size() + REQUESTED_AHEAD);
        cut.kill();
        cut.awaitWaiting(build);
        cut.startAgain();
        assertUnpacked(cut, build, cut.from);
        Map<String, Object> after = complete(cut, cut.from);
        before.forEach((name, time) -> assertNotEquals(time, after.get(name), name));
    }

    private void fetch(CutTransfer cut) throws Exception {
        FreeStyleProject source = cut.sourceOf("source" + count);
        WorkflowJob job = pipeline(
                "node('%s') { ws('%s') { fetchArtifacts '%s' } }".formatted(cut.name, cut.to, source.getName()));
        CutTransfer.fill(archiveOf(source.getLastBuild()), 120, 400_000);
        Files.writeString(cut.to.resolve("before"), "stays");
        cutAndAssertUnpacked(cut, job.scheduleBuild2(0).waitForStart(), archiveOf(source.getLastBuild()));
    }

    /** All files have arrived, so that nothing waits for the agent. */
    private void commit(CutTransfer cut) throws Exception {
        CutTransfer.fill(cut.from, 20, 400_000);
        WorkflowRun build = job(cut, "archiveArtifacts '**'").scheduleBuild2(0).waitForStart();
        try (ArchiveLock commit = ArchiveLock.open(StagedArchive.real(archiveOf(build)))) {
            commit.lock().lock();
            try {
                await().atMost(CutTransfer.TIMEOUT).until(() -> CutTransfer.running(build) != null);
                TransferProgress transfer = CutTransfer.running(build);
                await().atMost(CutTransfer.TIMEOUT).until(() -> transfer.completedBytes() == 20 * 400_000);
                Thread.sleep(1000); // the report of the agent arrives
                cut.proxy.cut();
                await().atMost(CutTransfer.TIMEOUT).until(() -> cut.agent.getChannel() == null);
                assertTrue(build.isBuilding());
            } finally {
                commit.lock().unlock();
            }
        }
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertEquals(FileTrees.describe(cut.from), FileTrees.describe(archiveOf(build)));
        assertEquals(0, CutTransfer.count(build, "was lost after"));
        cut.assertNothingRemains(build.getParent());
    }

    private FreeStyleProject freestyle(CutTransfer cut, boolean fingerprint) throws Exception {
        CutTransfer.fill(cut.from, 40, 400_000);
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedNode(cut.agent);
        job.setCustomWorkspace(cut.from.toString());
        ArtifactArchiver archiver = new ArtifactArchiver("**");
        archiver.setFingerprint(fingerprint);
        job.getPublishersList().add(archiver);
        return job;
    }

    private void freestyle(CutTransfer cut) throws Exception {
        Run<?, ?> build = freestyle(cut, false).scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 6_000_000);
        cut.cut(1000);
        assertArchived(cut, build, "once");
    }

    /** Core computes fingerprints over the old connection, and fails the step after its files were archived. */
    private void fingerprints(CutTransfer cut) throws Exception {
        Run<?, ?> build = freestyle(cut, true).scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 6_000_000);
        cut.cut(1000);
        r.assertBuildStatus(Result.FAILURE, CutTransfer.end(build));
        assertEquals(FileTrees.describe(cut.from), FileTrees.describe(archiveOf(build)));
    }
}
