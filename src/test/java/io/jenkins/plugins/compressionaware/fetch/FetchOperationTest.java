package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.XmlFile;
import hudson.model.Fingerprint;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Run;
import hudson.model.Saveable;
import hudson.model.listeners.SaveableListener;
import hudson.plugins.copyartifact.BuildSelector;
import hudson.plugins.copyartifact.CopyArtifact;
import hudson.plugins.copyartifact.ParameterizedBuildSelector;
import hudson.plugins.copyartifact.WorkspaceSelector;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.transfer.AgentTurn;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.flow.FlowDurabilityHint;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.job.properties.DurabilityHintJobProperty;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.TestExtension;

/** Tests when a fetch replaces a copy of the Copy Artifact plugin, and what it records. */
class FetchOperationTest extends FetchTestBase {
    private Path archive;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
        start(InboundTransport.WEBSOCKET);
        archive = archiveOfTwoFiles();
    }

    private WorkflowRun run(Result result, String script) throws Exception {
        return r.assertBuildStatus(result, run(script));
    }

    @Test
    void fetchIsLoggedAndReported() throws Exception {
        WorkflowRun build = run(Result.SUCCESS, "fetchArtifacts 'source'");
        r.assertLogContains("Fetch source #1: 2 files, 2 B in ", build);
        TransferInfo transfer = recorder.started.get(0);
        assertEquals(
                new TransferInfo(
                        TransferInfo.Operation.FETCH,
                        build.getParent().getFullName(),
                        1,
                        agent.getNodeName(),
                        "source #1",
                        2,
                        null),
                transfer);
        assertEquals(Map.of(), FileTrees.describe(packed()));
    }

    /** The lists of many waiting steps could fill the heap. */
    @Test
    void filesAreListedAfterTheWaitForTurn() throws Exception {
        WorkflowRun first = run(Result.SUCCESS, "fetchArtifacts 'source'");
        FilePath workspace = agent.getWorkspaceFor(first.getParent());
        PrintStream log = new PrintStream(OutputStream.nullOutputStream());
        List<AgentTurn> turns = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            turns.add(AgentTurn.await(first, workspace, log));
        }
        WorkflowRun waiting = first.getParent().scheduleBuild2(0).waitForStart();
        r.waitForMessage("16 other transfers run on", waiting);
        Files.writeString(archive.resolve("late"), "late");
        turns.forEach(AgentTurn::close);
        r.assertBuildStatusSuccess(r.waitForCompletion(waiting));
        assertTrue(workspace.child("late").exists());
    }

    @Test
    void copyArtifactsIsAcceleratedOnlyIfEnabled() throws Exception {
        String declarative = """
            pipeline {
                agent { label '%s' }
                stages {
                    stage('x') {
                        steps {
                            copyArtifacts projectName: 'source', filter: '**/*.txt', selector: lastSuccessful()
                            echo "is ${readFile 'lib/two.txt'}"
                        }
                    }
                }
            }
            """.formatted(agent.getNodeName());
        r.assertLogContains("Copied 2 artifacts", run(Result.SUCCESS, "copyArtifacts 'source'"));
        run(Result.SUCCESS, declarative);
        assertEquals(0, fetched());

        factory.setAccelerateCopyArtifacts(true);
        run(Result.SUCCESS, "copyArtifacts 'source'");
        assertEquals(1, fetched());
        r.assertLogContains(
                "Copied 2 artifacts", run(Result.SUCCESS, "step([$class: 'CopyArtifact', projectName: 'source'])"));
        assertEquals(0, fetched());
        r.assertLogContains("is 2", run(Result.SUCCESS, declarative));
        assertEquals(1, fetched());

        FreeStyleProject freestyle = r.createFreeStyleProject();
        freestyle.setAssignedNode(agent);
        freestyle.getBuildersList().add(new CopyArtifact("source"));
        r.assertLogContains("Copied 2 artifacts", r.buildAndAssertSuccess(freestyle));
        assertEquals(0, fetched());
    }

    @Test
    void excludedJobsAndAgentsAreCopied() throws Exception {
        factory.setExcludedJobs("*");
        r.assertLogContains("Copied 2 artifacts", run(Result.SUCCESS, "fetchArtifacts 'source'"));
        factory.setExcludedJobs("");
        factory.setExcludedLabels(agent.getNodeName());
        r.assertLogContains("Copied 2 artifacts", run(Result.SUCCESS, "fetchArtifacts 'source'"));
        assertEquals(0, fetched());
        assertEquals(List.of(), recorder.started);
    }

    @SuppressWarnings("deprecation") // overridden by older plugins
    private static class OldSelector extends BuildSelector {
        @Override
        protected FilePath getSourceDirectory(Run<?, ?> from, PrintStream log) {
            return null;
        }
    }

    private static final class OldSubclass extends OldSelector {}

    @Test
    void selectorWithOwnArtifactsIsDetected() {
        assertTrue(FetchingSelector.providesOwnArtifacts(new WorkspaceSelector()));
        assertTrue(FetchingSelector.providesOwnArtifacts(new OldSubclass()));
        assertFalse(FetchingSelector.providesOwnArtifacts(new ParameterizedBuildSelector("X")));
    }

    /** Copy Artifact must copy the files that its own selector finds. */
    @Test
    void filesOutsideArchiveAreCopied() throws Exception {
        source.getSomeWorkspace().child("one.txt").write("of the workspace", null);
        factory.setAccelerateCopyArtifacts(true);
        String fetch = "fetchArtifacts projectName: 'source', selector: workspace(); echo readFile('one.txt')";
        String copy = fetch.replace("fetchArtifacts", "copyArtifacts");
        for (String script : List.of(fetch, copy, "node('built-in') { " + copy + " }")) {
            WorkflowRun build = run(Result.SUCCESS, script);
            r.assertLogContains(
                    "Fetch source: copied by the Copy Artifact plugin instead. The selector WorkspaceSelector", build);
            r.assertLogContains("of the workspace", build);
        }
        factory.setExcludedJobs("*");
        r.assertLogContains("of the workspace", run(Result.SUCCESS, copy));
        assertEquals(List.of(), recorder.started);
    }

    @Test
    void filesDeletedDuringFetchAreCopied() throws Exception {
        changeAtStart(() -> Files.delete(archive.resolve("one.txt")));
        WorkflowRun build = run(Result.SUCCESS, "fetchArtifacts 'source'");
        r.assertLogContains(
                "copied by the Copy Artifact plugin instead. Cannot read one.txt: there is no such file", build);
        r.assertLogContains("Copied 1 artifact ", build);
        assertEquals(Map.of(), FileTrees.describe(packed()));
    }

    /** While a build can archive, a file of equal size, time and mode can still be another file. */
    @Test
    void filesReplacedByRunningBuildAreCopied() throws Exception {
        changeAtStart(() -> {
            replaceWithCopy(archive.resolve("one.txt"));
            for (WorkflowJob job : r.jenkins.getAllItems(WorkflowJob.class)) {
                replaceWithCopy(job.getLastBuild().getArtifactsDir().toPath().resolve("new.txt"));
            }
        });
        WorkflowRun build = run(Result.SUCCESS, """
            fetchArtifacts 'source'
            writeFile file: 'new.txt', text: 'n'
            archiveArtifacts 'new.txt'
            fetchArtifacts projectName: env.JOB_NAME, selector: specific(env.BUILD_NUMBER)
            """);
        r.assertLogContains(
                "copied by the Copy Artifact plugin instead. Cannot read new.txt as it was: it has changed", build);
        assertEquals(1, fetched(), "only the fetch from the finished build");
    }

    private static void replaceWithCopy(Path file) throws IOException {
        if (Files.exists(file)) {
            Path other = Files.copy(file, file.resolveSibling("other"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void renamedOrDeletedJobFailsStepWithoutFiles(boolean deleted) throws Exception {
        changeAtStart(() -> {
            if (deleted) {
                source.delete();
            } else {
                source.renameTo("moved");
            }
        });
        WorkflowRun build = run(Result.FAILURE, "fetchArtifacts 'source'");
        r.assertLogContains(
                "copied by the Copy Artifact plugin instead. Cannot read lib/two.txt: there is no such file", build);
        assertEquals(Map.of(), workspace(build));
    }

    @TestExtension("fingerprintIsSavedOnceAndOnlyIfChanged")
    public static final class Saved extends SaveableListener {
        static final AtomicInteger COUNT = new AtomicInteger();

        @Override
        public void onChange(Saveable saved, XmlFile file) {
            if (saved instanceof Fingerprint) {
                COUNT.incrementAndGet();
            }
        }
    }

    @Test
    void fingerprintIsSavedOnceAndOnlyIfChanged() throws Exception {
        Saved.COUNT.set(0);
        WorkflowRun build =
                run(Result.SUCCESS, "2.times { fetchArtifacts projectName: 'source', fingerprintArtifacts: true }");
        assertEquals(2, Saved.COUNT.get());
        Fingerprint fingerprint = r.jenkins.getFingerprintMap().get("c4ca4238a0b923820dcc509a6f75849b");
        assertEquals("one.txt", fingerprint.getFileName());
        assertTrue(fingerprint.getRangeSet(source).includes(1));
        assertTrue(fingerprint.getRangeSet(build.getParent()).includes(1));
        run(Result.SUCCESS, "fetchArtifacts projectName: 'source', fingerprintArtifacts: true");
        assertEquals(4, Saved.COUNT.get());
    }

    @Test
    void textIsCompressedOverUnmeasuredLink() throws Exception {
        Files.writeString(archive.resolve("text.txt"), "all is well\n".repeat(500_000));
        run(Result.SUCCESS, "fetchArtifacts 'source'");
        assertEquals("zstd", recorder.completed.get(0).codecs.get(0).codec, "an unmeasured link counts as 1 Gbit/s");
    }

    @Test
    void fastLinkSendsUncompressedUnlessOverridden() throws Exception {
        Files.writeString(archive.resolve("text.txt"), "all is well\n".repeat(500_000));
        AgentProfile.of(agent.getRootPath(), null).put(AgentProfile.Property.DOWNLINK, 1);
        run(Result.SUCCESS, "fetchArtifacts 'source'");
        TransferResult asItIs = recorder.completed.get(0);
        assertTrue(asItIs.wireBytes > asItIs.rawBytes, asItIs.wireBytes + " bytes");
        assertEquals("none", asItIs.codecs.get(0).codec);
        run(Result.SUCCESS, "withArtifactTransfer(codec: 'gzip') { fetchArtifacts 'source' }");
        TransferResult compressed = recorder.completed.get(1);
        assertTrue(compressed.wireBytes < compressed.rawBytes / 10, compressed.wireBytes + " bytes");
        assertEquals("gzip", compressed.codecs.get(0).codec);
        assertEquals("set by withArtifactTransfer", compressed.chosenBy);
    }

    /** A successful fetch makes the step optional, so that Copy Artifact accepts the missing artifacts. */
    @Test
    void stepObjectThatRunsTwiceIsNotOptionalInSecondRun() throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.setDefinition(new CpsFlowDefinition(
                """
                node('%s') {
                  def type = jenkins.model.Jenkins.get().pluginManager.uberClassLoader.loadClass('%s')
                  def fetch = type.getConstructor(String).newInstance('source')
                  step(fetch)
                  new File('%s').deleteDir()
                  step(fetch)
                }
                """.formatted(agent.getNodeName(), FetchArtifactsBuilder.class.getName(), archive), false));
        // a saved Pipeline would serialize the object
        job.addProperty(new DurabilityHintJobProperty(FlowDurabilityHint.PERFORMANCE_OPTIMIZED));
        WorkflowRun build = job.scheduleBuild2(0).get();
        r.assertBuildStatus(Result.FAILURE, build);
        assertEquals(1, recorder.completed.size(), "the first run");
    }
}
