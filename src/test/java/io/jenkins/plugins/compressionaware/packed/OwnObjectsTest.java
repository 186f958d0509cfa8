package io.jenkins.plugins.compressionaware.packed;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.cli.CLICommandInvoker;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jenkins.metrics.api.Metrics;
import jenkins.util.VirtualFile;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Large files that do not compress: each is an object, which browsers download from the store. */
class OwnObjectsTest extends StoreTestBase {
    private static final byte[] NOISE = FileTrees.noise(70_000_000);

    private Slave agent;
    private FreeStyleProject job;
    private Path workspace;
    private FreeStyleBuild build;

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        workspace = workspaceOf(agent, job);
        FileTrees.write(workspace, "text", "text ".repeat(20_000_000));
        Files.createDirectories(workspace.resolve("d"));
        Files.write(workspace.resolve("d/large file.zip"), NOISE);
        build = r.buildAndAssertSuccess(job);
    }

    @Test
    void browserDownloadsItFromTheStore() throws Exception {
        r.assertLogContains("% uncompressed", build);
        r.assertLogContains("; s3://tests", build);
        assertEquals(2, store.keys().size());
        assertTrue(
                store.keys().stream().anyMatch(key -> key.endsWith("/large_file.zip")),
                store.keys().toString());
        VirtualFile root = build.getArtifactManager().root();
        assertNull(root.child("text").toExternalURL());
        assertNull(root.child("d").toExternalURL());
        VirtualFile large = root.child("d/large file.zip");
        assertEquals(NOISE.length, large.length());
        assertEquals(
                Files.getLastModifiedTime(workspace.resolve("d/large file.zip")).toMillis() / 1000,
                large.lastModified() / 1000);
        assertNotNull(large.toExternalURL());
        HttpURLConnection connection = (HttpURLConnection)
                new URL(r.getURL(), build.getUrl() + "artifact/d/large%20file.zip").openConnection();
        connection.setInstanceFollowRedirects(false);
        assertEquals(302, connection.getResponseCode());
        HttpURLConnection stored = (HttpURLConnection) new URL(connection.getHeaderField("Location")).openConnection();
        stored.setRequestProperty("Range", "bytes=60000000-");
        assertEquals(206, stored.getResponseCode());
        assertEquals("attachment", stored.getHeaderField("Content-Disposition"));
        assertEquals("application/zip", stored.getContentType());
        try (InputStream in = stored.getInputStream()) {
            assertArrayEquals(Arrays.copyOfRange(NOISE, 60_000_000, NOISE.length), in.readAllBytes());
        }
        try (InputStream in = large.open()) {
            in.skipNBytes(50_000_000);
            assertArrayEquals(Arrays.copyOfRange(NOISE, 50_000_000, NOISE.length), in.readAllBytes());
        }
        assertTrue(readsOfTheController() > 0);
        build.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    @Test
    void otherBuildsGetIt() throws Exception {
        RecordingTransferListener recorder = RecordingTransferListener.listen();
        WorkflowRun copying = r.buildAndAssertSuccess(pipeline("node('" + agent.getNodeName() + "') {"
                + " copyArtifacts projectName: '" + job.getName() + "'; sh 'cmp \"d/large file.zip\" \"" + workspace
                + "/d/large file.zip\"'; deleteDir(); fetchArtifacts projectName: '" + job.getName()
                + "'; sh 'cmp \"d/large file.zip\" \"" + workspace + "/d/large file.zip\" && cmp text \"" + workspace
                + "/text\"' }"));
        r.assertLogNotContains("The artifacts are packed.", copying);
        assertFetched(recorder, 2);
    }

    @Test
    void itIsSelectedByItsName() throws Exception {
        RecordingTransferListener recorder = RecordingTransferListener.listen();
        long reads = readsOfTheController();
        for (String step : List.of("copyArtifacts", "fetchArtifacts")) {
            r.buildAndAssertSuccess(pipeline("node('" + agent.getNodeName() + "') { deleteDir(); " + step
                    + " projectName: '" + job.getName() + "', filter: '**/*.zip'; sh 'cmp \"d/large file.zip\" \""
                    + workspace + "/d/large file.zip\" && test ! -e text' }"));
            if (step.equals("copyArtifacts")) { // the requests of an agent that fetches are counted, too
                assertEquals(reads, readsOfTheController());
            }
        }
        assertFetched(recorder, 1);
    }

    private static long readsOfTheController() {
        return Metrics.metricRegistry()
                .meter("jenkins.artifact_transfer.store.get.ok")
                .getCount();
    }

    /** Asserts that the only transfer was a fetch that the controller did not pass on. */
    private static void assertFetched(RecordingTransferListener recorder, int files) {
        assertEquals(1, recorder.completed.size());
        TransferResult fetch = recorder.completed.get(0);
        assertEquals(files, fetch.files);
        assertEquals(0, fetch.channelBytes);
        assertEquals(fetch.wireBytes, fetch.directBytes);
        assertTrue(fetch.directBytes >= NOISE.length, fetch.directBytes + " bytes");
    }

    @Test
    void itBecomesAFileAgain() throws Exception {
        Map<String, String> files = FileTrees.describe(workspace);
        CLICommandInvoker.Result result =
                new CLICommandInvoker(r, "unpack-artifacts").invokeWithArgs(job.getFullName());
        assertEquals(0, result.returnCode(), result.stderr() + result.stdout());
        assertEquals(files, FileTrees.describe(archiveOf(build)));
        StoreCleanup.journal().clean();
        assertEquals(2, store.keys().size(), "a download may be running");
        TestStore.cleanLater();
        assertEquals(Set.of(), store.keys());
    }

    @Test
    void scriptReadsItFromTheStore() throws Exception {
        assumeTrue(Command.works("aws", "--version") && Command.works("zstd", "--version"), "aws or zstd is missing");
        Map<String, String> files = FileTrees.describe(workspace);
        Path script = Page.root().resolve("scripts/unpack-artifacts");
        Command.run("sh", script.toString(), job.getRootDir().getPath());
        assertEquals(files, FileTrees.describe(archiveOf(build)));
    }
}
