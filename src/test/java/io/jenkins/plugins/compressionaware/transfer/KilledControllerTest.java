package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.sf.json.JSONObject;
import org.jenkinsci.plugins.workflow.flow.FlowDurabilityHint;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.job.properties.DurabilityHintJobProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Kills the controller's process during or after a transfer. */
class KilledControllerTest extends RealJenkinsTestBase {
    /** Size of a sparse file, bytes: large enough to see its transfer run. */
    private static final long SIZE = 8L << 30;

    @ParameterizedTest
    @ValueSource(strings = {"files", "packed"})
    void nextStartDeletesStagedFiles(String storage) throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(KilledControllerTest::startTransfer, storage);
        Path build = jenkins.getHome().toPath().resolve("jobs/job/builds/1");
        Path journal = jenkins.getHome().toPath().resolve("compression-aware-artifacts/journal");
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> staged(build).size() == 1);
        jenkins.stopJenkinsForcibly();
        agents.stop("remote");
        assertEquals(1, FileTrees.list(journal).size());
        assertEquals(1, staged(build).size());
        Path other = Files.createDirectory(build.resolve(".somebody-else's.partial"));

        jenkins.startJenkins();
        // the cleanup of the first 15 minutes after a start
        jenkins.runRemotely(KilledControllerTest::cleanUpAnHour);
        assertEquals(2, staged(build).size(), "the other process may be alive");
        jenkins.runRemotely(KilledControllerTest::cleanUpAll);
        assertEquals(List.of(), FileTrees.list(journal));
        assertEquals(List.of(other.getFileName().toString()), staged(build));
        assertFalse(Files.exists(build.resolve("archive")));
        jenkins.stopJenkins();
    }

    /** The journal knows the upload. The store is slow, so that the controller is killed between two parts. */
    @Test
    void nextStartDeletesUnfinishedUpload() throws Throwable {
        TestStore store = TestStore.choose();
        Path journal = jenkins.getHome().toPath().resolve("compression-aware-artifacts/store");
        try (CuttingProxy slow = new CuttingProxy(TestStore.port(), 2_000_000)) {
            InboundTransport.startBoth(jenkins, agents);
            jenkins.runRemotely(KilledControllerTest::startUpload, store.over(slow.port()));
            await().atMost(Duration.ofMinutes(2)).until(() -> store.unfinished() == 1);
            jenkins.stopJenkinsForcibly();
            agents.stop("remote");
            assertEquals(1, FileTrees.list(journal).size());
            assertEquals(1, store.unfinished());

            jenkins.startJenkins();
            // the cleanup of the first 15 minutes after a start
            jenkins.runRemotely(KilledControllerTest::cleanStore);
            assertEquals(0, store.unfinished());
            assertEquals(1, FileTrees.list(journal).size(), "the agent may still send");
            jenkins.runRemotely(KilledControllerTest::cleanStoreLater);
            assertEquals(List.of(), FileTrees.list(journal));
            assertEquals(List.of(), jenkins.runRemotely(KilledControllerTest::keys, store));
            jenkins.stopJenkins();
        }
    }

    private static void startUpload(JenkinsRule r, TestStore store) throws Throwable {
        store.addCredentials();
        Archiving.configure().setStore(store.setting());
        WorkflowJob job = Pipelines.create(r, "job", "node('remote') { archiveArtifacts '**' }");
        FileTrees.noise(Pipelines.workspaceOn("remote", job).resolve("file"), 60_000_000);
        job.scheduleBuild2(0).waitForStart();
    }

    private static void cleanStore(JenkinsRule r) {
        StoreCleanup.journal().clean();
    }

    private static void cleanStoreLater(JenkinsRule r) throws Throwable {
        TestStore.cleanLater();
    }

    private static ArrayList<String> keys(JenkinsRule r, TestStore store) throws Throwable {
        return new ArrayList<>(store.keys());
    }

    private static void cleanUpAnHour(JenkinsRule r) {
        StartupCleanup.journal().deleteAbandoned(TimeUnit.HOURS.toMillis(1));
    }

    private static void cleanUpAll(JenkinsRule r) {
        StartupCleanup.journal().deleteAbandoned(0);
    }

    /** A resumed build may archive newer files, so the merge must end before jobs are loaded. */
    @Test
    void nextStartFinishesMergeAndDeletesFilesOfMovedJob() throws Throwable {
        Path home = jenkins.getHome().toPath();
        Path build = home.resolve("jobs/job/builds/1");
        String name = ".314039af-ff04-4a9e-ace9-9b2fc29f0056.partial";
        FileTrees.write(build, "archive/d/one", "arrived");
        FileTrees.write(build, name + "/d/two", "staged");
        FileTrees.write(home, "compression-aware-artifacts/journal/entry", "jobs/job/builds/1/" + name + "\narchive\n");
        FileTrees.write(build.resolveSibling("2"), name.replace('3', '4'), "half");
        FileTrees.write(
                home,
                "compression-aware-artifacts/journal/other",
                "jobs/job/builds/2/" + name.replace('3', '4') + "\n\n");
        jenkins.startJenkins();
        assertEquals(List.of("one", "two"), FileTrees.list(build.resolve("archive/d")));
        assertEquals(List.of("archive"), FileTrees.list(build));
        jenkins.runRemotely(KilledControllerTest::moveAndCleanUp);
        assertEquals(List.of(), FileTrees.list(home.resolve("jobs/moved/builds/2")));
        assertEquals(List.of(), FileTrees.list(home.resolve("compression-aware-artifacts/journal")));
        jenkins.stopJenkins();
    }

    private static void moveAndCleanUp(JenkinsRule r) throws Throwable {
        r.createFreeStyleProject("job").renameTo("moved");
        StartupCleanup.journal().deleteAbandoned(0);
    }

    private static void startTransfer(JenkinsRule r, String storage) throws Throwable {
        Archiving.configure().setStorage(storage);
        WorkflowJob job = Pipelines.create(r, "job", "node('remote') { archiveArtifacts '**' }");
        SparseFile.ofLength(Pipelines.workspaceOn("remote", job).resolve("file"), SIZE);
        job.scheduleBuild2(0).waitForStart();
    }

    private static List<String> staged(Path build) throws IOException {
        return FileTrees.list(build).stream()
                .filter(name -> name.matches("\\..*\\.partial"))
                .toList();
    }

    @Test
    void killedFetchLeavesNoPartialFileAndNextBuildSucceeds() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        Path workspace = Path.of(jenkins.runRemotely(KilledControllerTest::startFetch));
        Path large = workspace.resolve("large");
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Files.exists(large));

        jenkins.stopJenkinsForcibly();
        await().atMost(Duration.ofMinutes(1)).until(() -> !Files.exists(large));
        assertEquals("of before", Files.readString(workspace.resolve("small")));
        assertEquals(Set.of("small"), FileTrees.describe(workspace).keySet());

        // the agent reconnects by itself
        jenkins.startJenkins();
        jenkins.runRemotely(KilledControllerTest::fetchAgain);
        assertEquals("fetched", Files.readString(workspace.resolve("small")));
        assertEquals(1_000, Files.size(workspace.resolve("large")));
        agents.stop(jenkins, "remote");
        jenkins.stopJenkins();
    }

    private static Path archive(FreeStyleProject source) {
        return Path.of(source.getBuildByNumber(1).getArtifactManager().root().toURI());
    }

    /** Returns the path of the workspace. */
    private static String startFetch(JenkinsRule r) throws Throwable {
        Archiving.configure();
        FreeStyleProject source = r.createFreeStyleProject("source");
        r.buildAndAssertSuccess(source);
        Path archive = Files.createDirectories(archive(source));
        Files.writeString(archive.resolve("small"), "fetched");
        SparseFile.ofLength(archive.resolve("large"), SIZE);
        WorkflowJob job = Pipelines.create(r, "job", "node('remote') { fetchArtifacts 'source' }");
        Path workspace = Pipelines.workspaceOn("remote", job);
        Files.writeString(workspace.resolve("small"), "of before");
        job.scheduleBuild2(0).waitForStart();
        return workspace.toString();
    }

    private static void fetchAgain(JenkinsRule r) throws Throwable {
        WorkflowJob job = r.jenkins.getItemByFullName("job", WorkflowJob.class);
        WorkflowRun interrupted = r.waitForCompletion(job.getLastBuild());
        r.assertBuildStatus(Result.FAILURE, interrupted);
        SparseFile.ofLength(
                archive(r.jenkins.getItemByFullName("source", FreeStyleProject.class))
                        .resolve("large"),
                1_000);
        WorkflowRun build = r.assertBuildStatusSuccess(job.scheduleBuild2(0));
        r.assertLogContains("Fetch source #1: 2 files, ", build);
    }

    /** Only the transfers of the last seconds may be lost, even with the Pipeline durability that saves least. */
    @Test
    void savedTransfersSurviveCrash() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(KilledControllerTest::archiveAndGoOn);
        jenkins.runRemotely(KilledControllerTest::awaitSaved);
        jenkins.runRemotely(KilledControllerTest::saveSums);
        jenkins.stopJenkinsForcibly();
        jenkins.startJenkins();
        jenkins.runRemotely(KilledControllerTest::assertRemembered);
    }

    private static void archiveAndGoOn(JenkinsRule r) throws Throwable {
        Archiving.configure();
        WorkflowJob job = Pipelines.create(r, "job", """
            node('remote') {
                writeFile file: 'file', text: 'content'
                archiveArtifacts 'file'
            }
            sleep 600
            """);
        job.addProperty(new DurabilityHintJobProperty(FlowDurabilityHint.PERFORMANCE_OPTIMIZED));
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        r.waitForMessage("Sleeping for", build);
    }

    private static void awaitSaved(JenkinsRule r) {
        Path saved = build(r).getRootDir().toPath().resolve("build.xml");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Files.readString(saved).contains("TransferResult"));
    }

    /** Saves the totals, as the timer does after a minute. */
    private static void saveSums(JenkinsRule r) {
        TransferRegistry.saveOnShutdown();
    }

    private static void assertRemembered(JenkinsRule r) throws Throwable {
        JSONObject sums =
                r.getJSON("manage/artifact-transfers/api/json").getJSONObject().getJSONObject("lastWeek");
        assertEquals(1, sums.getInt("transfers"));
        assertEquals(7, sums.getInt("rawBytes"));
        List<TransferResult> transfers =
                build(r).getAction(BuildTransfersAction.class).getTransfers();
        assertEquals(1, transfers.size());
        assertEquals(TransferInfo.Operation.ARCHIVE, transfers.get(0).operation);
        assertEquals(7, transfers.get(0).rawBytes);
    }

    private static WorkflowRun build(JenkinsRule r) {
        return r.jenkins.getItemByFullName("job", WorkflowJob.class).getBuildByNumber(1);
    }
}
