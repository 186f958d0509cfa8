package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.Launcher;
import hudson.model.AbstractBuild;
import hudson.model.BuildListener;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import jenkins.model.Jenkins;
import net.sf.json.JSONArray;
import net.sf.json.JSONObject;
import org.htmlunit.html.HtmlTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.TestBuilder;

/** The transfers that are saved with a build. */
class SavedTransfersTest extends JenkinsTestBase {
    private FreeStyleProject job;

    @BeforeEach
    void archiveFromAnAgent() throws Exception {
        usePlugin();
        Slave agent = r.createOnlineSlave(Label.get("remote"));
        job = r.createFreeStyleProject("job");
        job.setAssignedNode(agent);
        FilePath workspace = agent.getWorkspaceFor(job);
        workspace.child("secret-name.txt").write("0123456789".repeat(300_000), "UTF-8");
        workspace.child("small").write("small", "UTF-8");
    }

    @Test
    void savedFiguresMatchTransfer() throws Exception {
        job.getPublishersList().add(new ArtifactArchiver("**"));
        RecordingTransferListener listener = RecordingTransferListener.listen();
        // with auto, a fresh agent starts with bootstrap calls
        List<String> codecs = List.of("auto", "zstd");
        for (int i = 0; i < codecs.size(); i++) {
            factory.setCodec(codecs.get(i));
            FreeStyleBuild build = r.buildAndAssertSuccess(job);
            build.reload();
            assertFigures(listener.completed.get(i), build);
        }
    }

    private static void assertFigures(TransferResult received, FreeStyleBuild build) throws Exception {
        TransferResult figures = only(build);
        assertEquals(Jenkins.XSTREAM2.toXML(received), Jenkins.XSTREAM2.toXML(figures));
        assertEquals(TransferInfo.Operation.ARCHIVE, figures.operation);
        assertNull(figures.label);
        assertEquals(TransferResult.Outcome.COMPLETED, figures.outcome);
        assertEquals(2, figures.files);
        assertEquals(3_000_005, figures.rawBytes);
        assertTrue(figures.wireBytes > 0);
        long tarBytes =
                figures.codecs.stream().mapToLong(share -> share.rawBytes).sum();
        // only four are listed; on a busy machine, auto may choose more
        assertTrue(tarBytes > 3_000_005 || figures.codecs.size() == 4, "raw bytes of codecs include tar headers");
        assertTrue(figures.stageTimes.writing <= figures.duration);
        assertEquals(1, transfersOf(build).getTotal().transfers);
        assertEquals(figures.wireBytes, transfersOf(build).getTotal().wireBytes);
        assertFalse(Files.readString(build.getRootDir().toPath().resolve("build.xml"))
                .contains("secret-name"));
    }

    @Test
    void failedTransferIsSaved() throws Exception {
        job.getBuildersList().add(new Archiving(build -> {
            assertThrows(IOException.class, () -> build.archive("gone", "gone/secret-name"));
        }));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        build.reload();

        TransferResult figures = only(build);
        assertEquals(TransferResult.Outcome.FAILED, figures.outcome);
        assertEquals(1, figures.files);
        assertEquals(0, figures.rawBytes);
        assertEquals(List.of(), figures.codecs);
        assertNull(figures.stageTimes);
        assertTrue(figures.failure.contains("Cannot archive"), figures.failure);
        assertEquals(1, transfersOf(build).getTotal().failed);
    }

    @Test
    void thousandParallelTransfersAreBoundedOnDisk() throws Exception {
        int calls = 1000;
        job.getBuildersList().add(new Archiving(build -> {
            ExecutorService branches = Executors.newFixedThreadPool(4);
            try {
                List<Callable<Void>> archives = IntStream.range(0, calls)
                        .<Callable<Void>>mapToObj(i -> () -> {
                            build.archive("small-" + i, "small");
                            return null;
                        })
                        .toList();
                for (Future<Void> archived : branches.invokeAll(archives)) {
                    archived.get();
                }
            } finally {
                branches.shutdownNow();
            }
        }));
        r.buildAndAssertSuccess(job);
        job.getLazyBuildMixIn().getRunMap().purgeCache();
        FreeStyleBuild build = job.getLastBuild();

        BuildTransfersAction transfers = transfersOf(build);
        assertEquals(BuildTransfersAction.ROWS, transfers.getTransfers().size());
        assertEquals(calls - BuildTransfersAction.ROWS, transfers.getAggregated().transfers);
        assertEquals(calls, transfers.getTotal().transfers);
        assertEquals(calls, transfers.getTotal().files);
        assertEquals(5L * calls, transfers.getTotal().rawBytes);
        long size = Files.size(build.getRootDir().toPath().resolve("build.xml"));
        assertTrue(size < 250_000, "build.xml has " + size + " bytes");
        assertEquals(1, build.getActions(BuildTransfersAction.class).size(), "parallel branches add to one list");
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            HtmlTable table =
                    client.goTo(build.getUrl() + "artifact-transfers/").querySelector("table.artifact-transfers");
            assertEquals(
                    1 + 2 * BuildTransfersAction.ROWS + 1,
                    table.getRowCount(),
                    "head, a row and its details each, and one for all others");
        }
    }

    @Test
    void apiExportsFigures() throws Exception {
        job.getPublishersList().add(new ArtifactArchiver("**"));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        TransferResult figures = only(build);

        try (JenkinsRule.WebClient client = r.createWebClient()) {
            JSONObject transfer = client.getJSON(build.getUrl() + "artifact-transfers/api/json")
                    .getJSONObject()
                    .getJSONArray("transfers")
                    .getJSONObject(0);
            assertEquals("ARCHIVE", transfer.getString("operation"));
            assertEquals("COMPLETED", transfer.getString("outcome"));
            assertEquals(figures.rawBytes, transfer.getLong("rawBytes"));
            assertEquals(figures.wireBytes, transfer.getLong("wireBytes"));
            assertEquals(figures.lanes, transfer.getInt("streams"), "as the pages and the settings call them");
            assertEquals(
                    figures.codecs.get(0).codec,
                    transfer.getJSONArray("codecs").getJSONObject(0).getString("codec"));
            assertEquals(
                    figures.stageTimes.writing,
                    transfer.getJSONObject("stageTimes").getLong("writing"));

            String asked =
                    build.getUrl() + "api/json?tree=actions[total[transfers,failed,files,rawBytes,wireBytes,duration]]";
            assertEquals(figures.rawBytes, total(client, asked).getLong("rawBytes"));
            assertEquals(1, total(client, build.getUrl() + "api/json").getInt("transfers"));
            String xml = client.goToXml(build.getUrl() + "api/xml?depth=1&xpath=//action/transfer/rawBytes")
                    .asXml();
            assertTrue(xml.contains(Long.toString(figures.rawBytes)), xml);
        }
    }

    private static JSONObject total(JenkinsRule.WebClient client, String url) throws Exception {
        JSONArray actions = client.getJSON(url).getJSONObject().getJSONArray("actions");
        return IntStream.range(0, actions.size())
                .mapToObj(actions::getJSONObject)
                .filter(candidate -> candidate.has("total"))
                .findFirst()
                .orElseThrow()
                .getJSONObject("total");
    }

    /** The APIs of builds and jobs neither list individual transfers nor load builds for them. */
    @Test
    void otherApisOmitIndividualTransfers() throws Exception {
        job.getBuildersList().add(new Archiving(build -> {
            for (int i = 0; i < 20; i++) {
                build.archive("small-" + i, "small");
            }
        }));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        for (String query : List.of(
                build.getUrl() + "api/json",
                job.getUrl() + "api/json?depth=1",
                job.getUrl() + "api/json?tree=actions[*]")) {
            try (JenkinsRule.WebClient client = r.createWebClient()) {
                String json =
                        client.goTo(query, "application/json").getWebResponse().getContentAsString();
                assertFalse(json.contains("sendingCpu"), query + " lists individual transfers");
                assertFalse(query.contains("tree") && json.contains("rawBytes"), "builds were loaded: " + json);
            }
        }
    }

    private static BuildTransfersAction transfersOf(FreeStyleBuild build) {
        return build.getAction(BuildTransfersAction.class);
    }

    private static TransferResult only(FreeStyleBuild build) {
        List<TransferResult> transfers = transfersOf(build).getTransfers();
        assertEquals(1, transfers.size());
        return transfers.get(0);
    }

    private interface Work {
        void in(Running build) throws Exception;
    }

    private record Running(AbstractBuild<?, ?> build, Launcher launcher, BuildListener listener) {
        void archive(String name, String path) throws IOException, InterruptedException {
            build.pickArtifactManager().archive(build.getWorkspace(), launcher, listener, Map.of(name, path));
        }
    }

    /** A build step that runs a test's code. */
    private static final class Archiving extends TestBuilder {
        private final transient Work work;

        Archiving(Work work) {
            this.work = work;
        }

        @Override
        public boolean perform(AbstractBuild<?, ?> build, Launcher launcher, BuildListener listener)
                throws InterruptedException, IOException {
            try {
                work.in(new Running(build, launcher, listener));
                return true;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    /** One character that XML 1.1 lacks would lose the build's record at the next restart. */
    @Test
    void textsOfAnAgentDoNotPreventSaving() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        TransferInfo transfer = new TransferInfo(
                TransferInfo.Operation.STASH, "job", build.getNumber(), "agent", "a\uFFFE", 1, "a\uD83D");
        RunningTransfer.start(transfer, System.out).failed(new IOException("Refused a\0b\uFFFF"));
        build.save();
        build.reload();
        assertEquals("Refused a b ", only(build).failure);
    }
}
