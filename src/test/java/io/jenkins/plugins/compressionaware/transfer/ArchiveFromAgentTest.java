package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManager;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipInputStream;
import org.htmlunit.Page;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

class ArchiveFromAgentTest extends JenkinsTestBase {
    @BeforeEach
    void configure() {
        usePlugin();
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void freestyleArchivesThroughEveryCodec(InboundTransport transport) throws Exception {
        Slave agent = transport.start(agents, r);
        FreeStyleProject job = archiving(agent);
        fill(agent.getWorkspaceFor(job));
        factory.setReuse("off"); // a new agent looks slow, so later builds would reuse content of the first
        for (Codec codec : Codec.values()) {
            factory.setCodec(codec.symbol());

            FreeStyleBuild build = r.buildAndAssertSuccess(job);

            assertInstanceOf(CompressionAwareArtifactManager.class, build.getArtifactManager());
            assertEquals(workspaceOf(agent, job), FileTrees.describe(archiveOf(build)));
            assertEquals(1, summaries(build).count(), "one summary line");
            assertTrue(
                    summaries(build)
                            .findFirst()
                            .orElseThrow()
                            .matches("Artifacts: 3 files, 2\\.00 MB in .* s \\([0-9.]+ MB/s\\), [0-9.]+ MB sent"
                                    + " \\([0-9]+%\\); "
                                    + codec.symbol()
                                    // a new agent that answers slowly first looks far away
                                    + "( [0-9]+)?(; limited by .*)?(; [0-9] streams)?"),
                    JenkinsRule.getLog(build));
        }
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void pipelineArchivesTwiceAndInParallel(InboundTransport transport) throws Exception {
        Slave agent = transport.start(agents, r);
        agent.setNumExecutors(3);
        agent.setLabelString("remote");
        WorkflowJob job = pipeline("""
            node('remote') {
                writeFile file: 'common', text: 'first'
                writeFile file: 'kept', text: 'kept'
                archiveArtifacts '**'
                writeFile file: 'common', text: 'second'
                archiveArtifacts 'common'
            }
            def branch(n) {
                node('remote') {
                    deleteDir()
                    for (int i = 0; i < 20; i++) { writeFile file: "shared/branch$n/$i", text: "$n $i" }
                    archiveArtifacts 'shared/**'
                }
            }
            parallel one: { branch 1 }, two: { branch 2 }, three: { branch 3 }
            """);
        for (Codec codec : Codec.values()) {
            factory.setCodec(codec.symbol());

            WorkflowRun build = r.buildAndAssertSuccess(job);

            Map<String, String> archive = FileTrees.describe(archiveOf(build));
            // 60 files, three folders and their parent, two files of the first node
            assertEquals(60 + 4 + 2, archive.size(), archive.toString());
            assertEquals(5, summaries(build).count());
            r.assertLogContains(codec.symbol(), build);
            assertEquals("second", new String(download(build, "common"), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void archiveIsIdenticalWithUnusualSettings(int threads) throws Exception {
        factory.setThreads(threads);
        factory.setMinLevel(1);
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleProject job = archiving(agent);
        fill(agent.getWorkspaceFor(job));

        assertEquals(workspaceOf(agent, job), FileTrees.describe(archiveOf(r.buildAndAssertSuccess(job))));
    }

    @Test
    void listenersReceiveFiguresOfBothEnds() throws Exception {
        RecordingTransferListener listener = RecordingTransferListener.listen();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleProject job = r.createFreeStyleProject("a-job");
        job.setAssignedNode(agent);
        job.getPublishersList().add(new ArtifactArchiver("**"));
        fill(agent.getWorkspaceFor(job));
        r.buildAndAssertSuccess(job);

        TransferInfo transfer =
                new TransferInfo(TransferInfo.Operation.ARCHIVE, "a-job", 1, agent.getNodeName(), null, 3, null);
        assertEquals(List.of(transfer), listener.started);
        TransferResult result = listener.completed.get(0);
        assertEquals(agent.getNodeName(), result.agent);
        assertEquals(3, result.files);
        assertEquals(2_000_000, result.rawBytes);
        assertEquals(result.wireBytes, result.channelBytes);
        assertEquals(
                result.wireBytes,
                result.codecs.stream().mapToLong(codec -> codec.wireBytes).sum());
        assertEquals(0, result.directBytes);
        assertTrue(result.receivingCpu >= 0);
        assertEquals(List.of(), listener.failed);
    }

    @Test
    void singleFileAndZipOfArchiveAreServed() throws Exception {
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        FreeStyleProject job = archiving(agent);
        fill(agent.getWorkspaceFor(job));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);

        byte[] original =
                agent.getWorkspaceFor(job).child("sub/noise.bin").read().readAllBytes();
        assertArrayEquals(original, download(build, "sub/noise.bin"));

        TreeSet<String> names = new TreeSet<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(download(build, "*zip*/archive.zip")))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                names.add(entry.getName());
            }
        }
        assertTrue(names.contains("archive/sub/noise.bin"), names.toString());
    }

    @Test
    void workspaceOnControllerIsCopiedWithoutCodec() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.getPublishersList().add(new ArtifactArchiver("**"));
        fill(r.jenkins.getWorkspaceFor(job));

        FreeStyleBuild build = r.buildAndAssertSuccess(job);

        assertEquals(
                FileTrees.describe(Path.of(r.jenkins.getWorkspaceFor(job).getRemote())),
                FileTrees.describe(archiveOf(build)));
        r.assertLogContains("Artifacts: 3 files copied in ", build);
    }

    private static void fill(FilePath workspace) throws Exception {
        byte[] noise = FileTrees.noise(1_000_000);
        try (var out = workspace.child("sub/noise.bin").write()) {
            out.write(noise);
        }
        workspace.child("text.log").write("0123456789".repeat(100_000), "US-ASCII");
        workspace.child("\u00fcml\u00e4ut \u65e5\u672c").write("", null);
    }

    private static Map<String, String> workspaceOf(Slave agent, FreeStyleProject job) throws Exception {
        return FileTrees.describe(Path.of(agent.getWorkspaceFor(job).getRemote()));
    }

    private static Stream<String> summaries(Run<?, ?> build) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .map(line -> line.replaceFirst("^\\[Pipeline\\] ", ""))
                .filter(line -> line.contains("Artifacts: "));
    }

    private byte[] download(Run<?, ?> build, String artifact) throws Exception {
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            Page page = client.goTo(build.getUrl() + "artifact/" + artifact, null);
            return page.getWebResponse().getContentAsStream().readAllBytes();
        }
    }
}
