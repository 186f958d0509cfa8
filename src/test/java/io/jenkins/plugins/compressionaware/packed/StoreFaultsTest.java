package io.jenkins.plugins.compressionaware.packed;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.cli.CLICommandInvoker;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jenkins.metrics.api.Metrics;
import jenkins.util.VirtualFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that fails, and objects that nothing needs any more. */
class StoreFaultsTest extends StoreTestBase {
    private static final String SECRETS = "(?s).*(tests-secret|X-Amz-|Signature=).*";

    private Slave agent;
    private FreeStyleProject job;
    private Path workspace;

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        workspace = workspaceOf(agent, job);
        FileTrees.write(workspace, "d/a.txt", "text ".repeat(10_000));
    }

    private String failure() throws Exception {
        FreeStyleBuild build = r.buildAndAssertStatus(Result.FAILURE, job);
        String log = build.getLog();
        assertFalse(log.matches(SECRETS), log);
        assertEquals(
                Set.of(),
                FileTrees.list(build.getRootDir().toPath()).contains("archive") ? Set.of("archive") : Set.of());
        return log;
    }

    private void assertEmpty() {
        await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
            assertEquals(Set.of(), store.keys());
            assertEquals(0, store.unfinished());
        });
    }

    @Test
    void wrongCredentialsAreNamed() throws Exception {
        S3Store setting = store.setting();
        setting.setCredentialsId("wrong");
        factory.setStore(setting);
        String log = failure();
        assertTrue(log.contains("HTTP 403") && log.contains("The credentials of the store"), log);
        assertEquals(1, refusedPuts());
        Files.write(workspace.resolve("noise"), FileTrees.noise(20_000_000));
        log = failure();
        assertTrue(log.contains("403") && log.contains("Cannot begin s3://tests/"), log);
        assertTrue(log.contains("The credentials of the store do not allow this request."), log);
        setting.setCredentialsId("none");
        factory.setStore(setting);
        assertTrue(failure().contains("There are no AWS credentials with the ID none"));
        assertEmpty();
    }

    private static long refusedPuts() {
        return Metrics.metricRegistry()
                .meter("jenkins.artifact_transfer.store.put.denied")
                .getCount();
    }

    @Test
    void brokenStoreIsNamed() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(TestStore.port(), 1 << 30)) {
            factory.setStore(store.over(proxy.port()).setting());
            r.buildAndAssertSuccess(job);
            proxy.close();
            String log = failure();
            assertTrue(log.contains("This agent cannot connect to the store."), log);
        }
    }

    @Test
    void brokenStoreIsTriedAgain() throws Exception {
        Files.write(workspace.resolve("noise"), FileTrees.noise(40_000_000));
        try (CuttingProxy proxy = new CuttingProxy(TestStore.port(), 5_000_000)) {
            factory.setStore(store.over(proxy.port()).setting());
            var running = job.scheduleBuild2(0);
            running.waitForStart();
            await().atMost(60, TimeUnit.SECONDS).until(() -> store.unfinished() > 0);
            Thread.sleep(1000);
            proxy.cut();
            Thread.sleep(1000);
            proxy.restore();
            FreeStyleBuild build = r.assertBuildStatusSuccess(running);
            VirtualFile noise = build.getArtifactManager().root().child("noise");
            proxy.cut();
            proxy.restore();
            try (var in = noise.open()) {
                assertEquals(
                        -1,
                        java.util.Arrays.mismatch(Files.readAllBytes(workspace.resolve("noise")), in.readAllBytes()));
            }
        }
    }

    @Test
    void abortedBuildLeavesNothing() throws Exception {
        Files.write(workspace.resolve("noise"), FileTrees.noise(60_000_000));
        try (CuttingProxy proxy = new CuttingProxy(TestStore.port(), 2_000_000)) {
            factory.setStore(store.over(proxy.port()).setting());
            var running = job.scheduleBuild2(0);
            FreeStyleBuild build = running.waitForStart();
            await().atMost(60, TimeUnit.SECONDS).until(() -> store.unfinished() > 0);
            build.doStop();
            r.waitForCompletion(build);
            assertNotEquals(Result.SUCCESS, build.getResult());
            assertFalse(build.getLog().contains("waiting for the disk"), build.getLog());
            assertEmpty();
        }
    }

    @Test
    void objectsAreDeletedWithTheirBuild() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(TestStore.port(), 1 << 30)) {
            factory.setStore(store.over(proxy.port()).setting());
            FreeStyleBuild first = r.buildAndAssertSuccess(job);
            r.buildAndAssertSuccess(job);
            assertEquals(2, store.keys().size());
            first.delete();
            await().untilAsserted(() -> assertEquals(1, store.keys().size()));
            proxy.cut();
            job.delete();
            StoreCleanup.journal().clean();
            assertEquals(1, store.keys().size());
            proxy.restore();
            await().untilAsserted(() -> {
                StoreCleanup.journal().clean();
                assertEquals(Set.of(), store.keys());
            });
        }
    }

    @Test
    void missingObjectIsNamed() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        store.delete(store.keys().iterator().next());
        VirtualFile file = build.getArtifactManager().root().child("d/a.txt");
        assertEquals(50_000, file.length(), "known without the store");
        IOException failure = assertThrows(IOException.class, () -> file.open().readAllBytes());
        assertTrue(
                failure.getMessage().contains("d/a.txt") && failure.getMessage().contains("The object was deleted"),
                failure.getMessage());
        assertFalse(failure.getMessage().matches(SECRETS), failure.getMessage());
    }

    private String orphans(String... arguments) {
        CLICommandInvoker.Result result = new CLICommandInvoker(r, "orphaned-objects").invokeWithArgs(arguments);
        assertEquals(0, result.returnCode(), result.stderr());
        return result.stdout();
    }

    @Test
    void orphansAreListedAndDeleted() throws Exception {
        FreeStyleBuild kept = r.buildAndAssertSuccess(job);
        FreeStyleBuild lost = r.buildAndAssertSuccess(job);
        assertEquals("", orphans("--hours", "0"));
        FileTrees.delete(lost.getRootDir().toPath().resolve("stored-objects"));
        assertEquals("", orphans("--delete"), "younger than a day");
        String listed = orphans("--hours", "0");
        assertTrue(listed.matches("s3://tests/jenkins/[^\n]*\n"), listed);
        assertEquals(2, store.keys().size());
        assertEquals(listed, orphans("--hours", "0", "--delete"));
        assertEquals(1, store.keys().size());
        try (var in = kept.getArtifactManager().root().child("d/a.txt").open()) {
            assertEquals(50_000, in.readAllBytes().length);
        }
    }

    /** The second has the folder of the first, and another storage class. */
    @Test
    void orphansOfAllStoresAreListedAndDeleted() throws Exception {
        S3Store other = store.setting();
        other.setName("other");
        other.setPrefix(other.getPrefix() + "/other");
        S3Store same = store.setting();
        same.setName("same");
        same.setStorageClass("STANDARD");
        FileTrees.delete(r.buildAndAssertSuccess(job).getRootDir().toPath().resolve("stored-objects"));
        factory.setStore(other);
        FileTrees.delete(r.buildAndAssertSuccess(job).getRootDir().toPath().resolve("stored-objects"));
        FreeStyleBuild kept = r.buildAndAssertSuccess(job);
        factory.setStore(store.setting());
        factory.setStores(List.of(other, same));
        String listed = orphans("--hours", "0");
        assertEquals(2, listed.lines().count(), listed);
        assertEquals(1, listed.lines().filter(name -> name.contains("/other/")).count(), listed);
        assertEquals(listed, orphans("--hours", "0", "--delete"));
        assertEquals(1, store.keys().size());
        factory.setStore(null);
        assertEquals("", orphans("--hours", "0"));
        factory.setStores(null);
        assertEquals(3, new CLICommandInvoker(r, "orphaned-objects").invoke().returnCode());
        try (var in = kept.getArtifactManager().root().child("d/a.txt").open()) {
            assertEquals(50_000, in.readAllBytes().length);
        }
    }

    @Test
    void failingStoreHidesNoOrphansOfOthers() throws Exception {
        S3Store unreachable = new S3Store("builds");
        unreachable.setName("unreachable");
        unreachable.setRegion("eu-central-1");
        unreachable.setEndpoint("http://127.0.0.1:9");
        unreachable.setPathStyle(true);
        unreachable.setCredentialsId("s3");
        factory.setStores(List.of(unreachable));
        FileTrees.delete(r.buildAndAssertSuccess(job).getRootDir().toPath().resolve("stored-objects"));
        CLICommandInvoker.Result result =
                new CLICommandInvoker(r, "orphaned-objects").invokeWithArgs("--hours", "0", "--delete");
        assertEquals(1, result.returnCode(), result.stderr());
        assertTrue(result.stdout().matches("s3://tests/jenkins/[^\n]*\n"), result.stdout());
        assertTrue(result.stderr().matches("s3://builds: failed\\. Cannot list s3://builds/[^\n]*\n"), result.stderr());
        assertEquals(Set.of(), store.keys());
    }

    /** The disk with the builds may be missing. */
    @Test
    void orphansAreKeptIfBuildsAreMissing() throws Exception {
        r.buildAndAssertSuccess(job);
        Path builds = job.getBuildDir().toPath();
        Path away = Files.move(builds, builds.resolveSibling("away"));
        assertOrphansAreKept();
        Files.move(away, builds);
        assertEquals("", orphans("--hours", "0", "--delete"));
    }

    /** A job whose plugin is missing has no item, and promotions are not among the items. */
    @ParameterizedTest
    @ValueSource(strings = {"folder/jobs/unknown", "test0/promotions/passed"})
    void objectsOfBuildsWithoutItemAreNoOrphans(String folder) throws Exception {
        FreeStyleBuild unknown = r.buildAndAssertSuccess(job);
        r.jenkins.createProject(Folder.class, "folder");
        Path builds =
                r.jenkins.getRootDir().toPath().resolve("jobs").resolve(folder).resolve("builds");
        Files.createSymbolicLink(Files.createDirectories(builds).resolveSibling("loop"), Path.of("."));
        Files.move(unknown.getRootDir().toPath(), builds.resolve("1"));
        assertEquals("", orphans("--hours", "0", "--delete"));
        assertEquals(1, store.keys().size());
    }

    private void assertOrphansAreKept() throws IOException {
        CLICommandInvoker.Result result =
                new CLICommandInvoker(r, "orphaned-objects").invokeWithArgs("--hours", "0", "--delete");
        assertEquals(4, result.returnCode(), result.stderr());
        assertTrue(result.stdout().startsWith("s3://tests/jenkins/"), result.stdout());
        assertEquals(1, store.keys().size());
    }
}
