package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.matrix.AxisList;
import hudson.matrix.MatrixProject;
import hudson.matrix.TextAxis;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import hudson.tasks.Shell;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects whose records Jenkins or a build has changed. */
class StoreCleanupTest extends StoreTestBase {
    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        FileTrees.write(workspaceOf(agent, job), "a", "text");
    }

    @Test
    void objectsOfDiscardedArtifactsAreDeleted() throws Exception {
        FreeStyleBuild discarded = r.buildAndAssertSuccess(job);
        Set<String> gone = store.keys();
        r.buildAndAssertSuccess(job);
        discarded.deleteArtifacts();
        StoreCleanup.searchBuilds();
        StoreCleanup.searchBuilds();
        TestStore.cleanLater();
        assertEquals(1, store.keys().size());
        assertTrue(store.keys().stream().noneMatch(gone::contains), gone.toString());
    }

    /** A backup may have no artifacts, and their disk may be missing for a while. */
    @Test
    void restoredHomeKeepsItsObjects() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        Path away = Files.move(archiveOf(build), archiveOf(build).resolveSibling("away"));
        StoreCleanup.searchBuilds();
        TestStore.cleanLater();
        Files.move(away, archiveOf(build));
        StoreCleanup.searchBuilds();
        StoreCleanup.searchBuilds();
        TestStore.cleanLater();
        try (var in = build.getArtifactManager().root().child("a").open()) {
            assertEquals(4, in.readAllBytes().length);
        }
    }

    @Test
    void controllerWithoutAStoreHasNoJournal() throws Exception {
        factory.setStore(null);
        r.buildAndAssertSuccess(job).delete();
        r.buildAndAssertSuccess(pipeline("node { writeFile file: 'a', text: '1'; stash 'x'; stash 'x' }"))
                .delete();
        StoreCleanup.Hourly work = ExtensionList.lookupSingleton(StoreCleanup.Hourly.class);
        work.doRun();
        job.delete();
        Path home = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts");
        assertFalse(Files.exists(home.resolve("store")), FileTrees.list(home).toString());
    }

    /** Its runs are in builds folders of their own. */
    @Test
    void objectsOfAMatrixJobAreDeleted() throws Exception {
        MatrixProject matrix = r.jenkins.createProject(MatrixProject.class, "matrix");
        matrix.setAxes(new AxisList(new TextAxis("axis", "1", "2")));
        r.jenkins.setNumExecutors(0);
        matrix.getBuildersList().add(new Shell("echo $axis > a"));
        matrix.getPublishersList().add(new ArtifactArchiver("a"));
        r.buildAndAssertSuccess(matrix);
        assertEquals(2, store.keys().size());
        matrix.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    /** Jenkins interrupts the build and its node, and a second interrupt would end the archiving. */
    @Test
    void objectsThatABuildArchivesDuringTheDeletionOfItsJobAreDeleted() throws Exception {
        RecordingTransferListener transfers = RecordingTransferListener.listen();
        WorkflowJob aborted = pipeline("node('" + agent.getNodeName() + "') { try { sleep 600 } finally {\n"
                + "try { sleep 2 } finally { writeFile file: 'a', text: '1'; archiveArtifacts 'a' } } }");
        r.waitForMessage("Sleeping for 10", aborted.scheduleBuild2(0).waitForStart());
        aborted.delete();
        assertEquals(1, transfers.completed.size());
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    @Test
    void objectsThatAMatrixArchivesDuringItsDeletionAreDeleted() throws Exception {
        RecordingTransferListener transfers = RecordingTransferListener.listen();
        MatrixProject matrix = r.jenkins.createProject(MatrixProject.class, "matrix");
        matrix.setAxes(new AxisList(new TextAxis("axis", "1")));
        matrix.getBuildersList().add(new Shell("echo > a; sleep 600"));
        matrix.getPublishersList().add(new ArtifactArchiver("a"));
        matrix.scheduleBuild2(0);
        var part = matrix.getItem("axis=1");
        r.waitForMessage("sleep 600", await().until(part::getLastBuild, Objects::nonNull));
        matrix.delete();
        assertEquals(1, transfers.completed.size());
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    /** They are no items. */
    @Test
    void objectsOfPromotionsAreDeletedWithTheirJob() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        Path builds = job.getRootDir().toPath().resolve("promotions/passed/builds");
        Files.move(build.getRootDir().toPath(), Files.createDirectories(builds).resolve("1"));
        job.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    /** A store may not respond for minutes. */
    @Test
    void manyDeletionsHaveOneThread() throws Exception {
        List<FreeStyleBuild> builds = new ArrayList<>();
        CuttingProxy proxy = new CuttingProxy(TestStore.port(), 1 << 30);
        int port = proxy.port();
        try (proxy) {
            factory.setStore(store.over(port).setting());
            for (int i = 0; i < 3; i++) {
                builds.add(r.buildAndAssertSuccess(job));
            }
        }
        try (ServerSocket silent = await().ignoreExceptions()
                .until(() -> new ServerSocket(port, 50, InetAddress.getLoopbackAddress()), Objects::nonNull)) {
            for (FreeStyleBuild build : builds) {
                build.delete();
                await().until(() -> deletions() > 0);
            }
            Thread.sleep(500);
            assertEquals(1, deletions(), () -> "on " + silent);
        }
    }

    private static long deletions() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> Arrays.stream(stack)
                        .anyMatch(frame -> frame.getMethodName().equals("tryDelete")))
                .count();
    }

    /** A build that was archived by Jenkins itself may have any file there. */
    @Test
    void copiedRecordReadsAndDeletesNothing() throws Exception {
        FreeStyleBuild victim = r.buildAndAssertSuccess(job);
        FreeStyleBuild attacker = r.buildAndAssertSuccess(job);
        Path record = archiveOf(victim).resolve("packed-artifacts/1.tar.zst");
        Path folder = archiveOf(attacker).resolve("packed-artifacts");
        Files.copy(record, folder.resolve("2.tar.zst"));
        Files.copy(record, folder.resolve("logo.png"));
        assertThrows(
                IOException.class,
                () -> attacker.getArtifactManager().root().child("a").open());
        attacker.delete();
        await().untilAsserted(() -> assertEquals(1, store.keys().size()));
        try (var in = victim.getArtifactManager().root().child("a").open()) {
            assertEquals(4, in.readAllBytes().length);
        }
    }

    @Test
    void renamedJobKeepsItsObjects() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        StoreCleanup.searchBuilds();
        job.renameTo("renamed");
        StoreCleanup.searchBuilds();
        StoreCleanup.searchBuilds();
        TestStore.cleanLater();
        try (var in = build.getArtifactManager().root().child("a").open()) {
            assertEquals(4, in.readAllBytes().length);
        }
        job.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    /** The second one is on the controller. */
    @Test
    void stashThatReplacesAnObjectDeletesIt() throws Exception {
        WorkflowJob stashing = pipeline("node('" + agent.getNodeName()
                + "') { writeFile file: 'a', text: '1'; stash 'x' }\n"
                + "node('built-in') { writeFile file: 'a', text: '2'; stash 'x'; sleep 600 }");
        var build = stashing.scheduleBuild2(0).waitForStart();
        r.waitForMessage("Sleeping for", build);
        TestStore.cleanLater();
        assertEquals(Set.of(), store.keys());
        build.doStop();
        r.waitForCompletion(build);
    }
}
