package io.jenkins.plugins.compressionaware.ui;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.FreeStyleProject;
import hudson.model.Item;
import hudson.model.Label;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.RollingTotalsTest;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jenkins.model.Jenkins;
import jenkins.model.JenkinsLocationConfiguration;
import net.sf.json.JSONArray;
import net.sf.json.JSONObject;
import org.htmlunit.html.HtmlPage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** The administrator's page: figures, permissions and persistence. */
class TransferOverviewTest extends JenkinsTestBase {
    private static final String PAGE = "manage/artifact-transfers/";

    private Slave agent;
    private FreeStyleProject job;
    private FilePath workspace;

    @BeforeEach
    void archiveFromAnAgent() throws Exception {
        usePlugin();
        agent = r.createOnlineSlave(Label.get("remote"));
        job = r.createFreeStyleProject("secret-job");
        job.setAssignedNode(agent);
        workspace = agent.getWorkspaceFor(job);
        workspace.child("file").write("0123456789".repeat(2_000_000), "UTF-8");
        job.getPublishersList().add(new ArtifactArchiver("**"));
    }

    @Test
    void totalsMatchTransfers() throws Exception {
        RecordingTransferListener listener = RecordingTransferListener.listen();
        r.buildAndAssertSuccess(job);
        r.buildAndAssertSuccess(job);

        TransferResult first = listener.completed.get(0);
        TransferResult second = listener.completed.get(1);
        JSONObject overview = json();
        Map<String, Long> expected = Map.of(
                "transfers",
                2L,
                "failed",
                0L,
                "rawBytes",
                40_000_000L,
                "wireBytes",
                first.wireBytes + second.wireBytes,
                "directBytes",
                first.directBytes + second.directBytes,
                "duration",
                first.duration + second.duration);
        for (String period : List.of("sinceYesterday", "lastWeek")) {
            JSONObject sums = overview.getJSONObject(period);
            expected.forEach((field, sum) -> assertEquals(sum, sums.getLong(field), period + ": " + field));
        }
        JSONObject slowest = overview.getJSONArray("slowestAgents").getJSONObject(0);
        assertEquals(agent.getNodeName(), slowest.getString("name"));
        assertEquals(40_000_000, slowest.getJSONObject("sums").getLong("rawBytes"));
        JSONObject heaviest = overview.getJSONArray("heaviestJobs").getJSONObject(0);
        assertEquals("secret-job", heaviest.getString("name"));
        assertEquals(0, overview.getLong("heapInUse"));
        assertEquals(0, overview.getInt("connectionsInUse"));
        String page = r.createWebClient().goTo(PAGE).getWebResponse().getContentAsString();
        assertThat(page, containsString("40.0 MB"));
        assertThat(page, containsString("secret-job"));
        assertThat(page, containsString(agent.getNodeName()));
        assertThat(page, containsString("No transfer is running."));
    }

    @Test
    void limitsOfAllTransfersAreShown() throws Exception {
        JSONObject overview = json();
        assertEquals(HeapBudget.ofThisJvm().limit(), overview.getLong("heapLimit"));
        assertEquals(DirectLaneSessions.CONNECTIONS, overview.getInt("connectionsLimit"));
    }

    @Test
    void runningTransferIsListedUntilItsEnd() throws Exception {
        RunningTransfer running = start(TransferInfo.Operation.STASH);
        running.addDirectBytes(3_000_000);
        running.addChannelBytes(1_000_000);

        JSONObject row = json().getJSONArray("running").getJSONObject(0);
        assertEquals("STASH", row.getString("operation"));
        assertEquals("secret-job", row.getString("job"));
        assertEquals(7, row.getInt("build"));
        assertEquals(agent.getNodeName(), row.getString("agent"));
        assertEquals(3_000_000, row.getLong("directBytes"));
        assertEquals(1_000_000, row.getLong("channelBytes"));
        String page = text(PAGE);
        assertThat(page, containsString("secret-job #7"));
        assertThat(page, containsString("4.00 MB"));

        running.failed(new InterruptedException());
        JSONObject after = json();
        assertTrue(after.getJSONArray("running").isEmpty());
        assertEquals(1, after.getJSONObject("lastWeek").getInt("failed"));
        assertEquals(
                "secret-job #7",
                after.getJSONArray("failedBuilds").getJSONObject(0).getString("fullName"));
        HtmlPage withFailure = r.createWebClient().goTo(PAGE);
        assertNotNull(withFailure.querySelector(".jenkins-alert-warning a[href$='/job/secret-job/7/']"));
    }

    @Test
    void runningTransferShowsProgress() throws Exception {
        RunningTransfer running = start(TransferInfo.Operation.UNSTASH);
        JSONObject before = json().getJSONArray("running").getJSONObject(0);
        assertEquals(-1, before.getInt("percent"));

        running.setExpectedBytes(4_000_000);
        running.addChannelBytes(1_000_000);
        JSONObject row = json().getJSONArray("running").getJSONObject(0);
        assertEquals(25, row.getInt("percent"));
        assertThat(text(PAGE + "live"), allOf(containsString("25"), containsString("done")));
        running.failed(new InterruptedException());
        assertThat(text(PAGE + "live"), containsString("No transfer is running."));
    }

    @Test
    void unavailableCodecCausesAdvice() throws Exception {
        completed(agent.getNodeName(), "no space\nleft");
        assertThat(text(PAGE), containsString("Agent " + agent.getNodeName() + " cannot load zstd: no space left."));
        completed(agent.getNodeName(), null);
        assertTrue(json().getJSONArray("advice").isEmpty());
    }

    @Test
    void removedAgentsCauseNoAdvice() throws Exception {
        for (int i = 0; i < 300; i++) {
            completed("a-pod-" + i, "x");
        }
        completed(agent.getNodeName(), "x");
        JSONArray advice = json().getJSONArray("advice");
        assertEquals(1, advice.size(), advice.toString());
        assertThat(advice.getString(0), containsString("Agent " + agent.getNodeName() + " cannot load zstd"));
    }

    @Test
    void reusedColumnAppearsOnlyWithReusedBytes() throws Exception {
        completed(agent.getNodeName(), null);
        assertThat(text(PAGE), not(containsString("Reused")));
        TransferInfo transfer = TransferResults.transfer(TransferInfo.Operation.ARCHIVE);
        ReceiveReport received = ReceiveReport.of(Figures.counts(1, 30_000_000, 30_000_000, 10_000_000, 1));
        TransferRegistry.get()
                .completed(
                        transfer,
                        TransferResults.shortened(transfer, 1, 10_000_000, 20_000_000, SendReport.NOTHING, received));
        assertThat(text(PAGE), allOf(containsString("Reused"), containsString("67")));
    }

    private static void completed(String agent, @CheckForNull String zstdProblem) {
        TransferRegistry.get()
                .completed(
                        new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, agent, null, 1, null),
                        RollingTotalsTest.transfer(agent, "job", 1, zstdProblem));
    }

    @Test
    void switchedOffDirectTransferListsNoAgents() throws Exception {
        factory.setDirectLane("off");
        r.buildAndAssertSuccess(job);

        assertTrue(json().getBoolean("directHttpOff"));
        assertTrue(json().getJSONArray("withoutDirectHttp").isEmpty());
        assertThat(
                r.createWebClient().goTo(PAGE).getWebResponse().getContentAsString(),
                containsString("switched off in the settings"));
    }

    @Test
    void agentWhoseLaneFailedIsListedWithCauseAndAdvice() throws Exception {
        JenkinsLocationConfiguration.get().setUrl("http://127.0.0.1:1/"); // refuses connections
        factory.setCodec("none"); // if compression is slower than the streams, no direct lane is opened
        for (int i = 0; i < 10 && json().getJSONArray("withoutDirectHttp").isEmpty(); i++) {
            r.buildAndAssertSuccess(job);
        }

        JSONObject lost = json().getJSONArray("withoutDirectHttp").getJSONObject(0);
        assertEquals(agent.getNodeName(), lost.getString("agent"));
        assertEquals("LOST", lost.getString("reason"));
        assertThat(lost.getString("cause"), containsString("127.0.0.1:1"));
        assertThat(
                r.createWebClient().goTo(PAGE).getWebResponse().getContentAsString(),
                allOf(
                        containsString("computer/" + agent.getNodeName() + "/\">" + agent.getNodeName()),
                        containsString("Failed on this agent."),
                        containsString(lost.getString("cause")),
                        containsString("The agent does not reach that address")));
    }

    @Test
    void pageRequiresSystemReadAndHidesUnreadableJobs() throws Exception {
        start(TransferInfo.Operation.ARCHIVE);
        r.buildAndAssertSuccess(job);
        permit(Map.of(
                "user", List.of(Jenkins.READ, Item.READ),
                "auditor", List.of(Jenkins.READ, Jenkins.SYSTEM_READ),
                "manager", List.of(Jenkins.READ, Jenkins.SYSTEM_READ, Jenkins.MANAGE, Item.READ)));

        JenkinsRule.WebClient client = r.createWebClient().withThrowExceptionOnFailingStatusCode(false);

        client.login("user");
        assertEquals(403, get(client, PAGE));
        assertEquals(403, get(client, PAGE + "api/json"));

        client.login("auditor");
        assertThat(client.goTo("manage/").getVisibleText(), containsString("Artifact transfers"));
        String page = client.goTo(PAGE).getWebResponse().getContentAsString();
        assertThat(page, containsString("20.0 MB"));
        assertThat(page, not(containsString("secret-job")));
        assertThat(page, not(containsString("Reset")));
        assertThat(
                client.goTo(PAGE + "api/json", "application/json")
                        .getWebResponse()
                        .getContentAsString(),
                not(containsString("secret-job")));
        assertEquals(403, post(client, PAGE + "clear"));
        assertEquals(1, TransferRegistry.get().totals().lastWeek(System.currentTimeMillis()).transfers);

        client.login("manager");
        assertThat(client.goTo(PAGE).getWebResponse().getContentAsString(), containsString("secret-job"));
        assertEquals(404, get(client, PAGE + "clear"));
        assertEquals(200, post(client, PAGE + "clear"));
        assertEquals(0, TransferRegistry.get().totals().lastWeek(System.currentTimeMillis()).transfers);
    }

    @Test
    void totalsSurviveRestartAndDamagedFileResetsThem() throws Exception {
        r.buildAndAssertSuccess(job);
        Path file = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts/transfers.xml");
        assertFalse(Files.exists(file), "written too early");

        TransferRegistry.saveOnShutdown();
        assertTrue(Files.exists(file));
        TransferTotals before = TransferRegistry.get().totals().lastWeek(System.currentTimeMillis());
        TransferTotals after = new TransferRegistry().totals().lastWeek(System.currentTimeMillis());
        assertEquals(1, after.transfers);
        assertEquals(before.rawBytes, after.rawBytes);
        assertEquals(before.wireBytes, after.wireBytes);
        assertNotNull(
                new TransferRegistry().totals().jobs(System.currentTimeMillis()).get("secret-job"));

        String whole = Files.readString(file);
        for (String damaged : new String[] {
            "", whole.substring(0, whole.length() / 2), whole.replaceAll("(?s)<all>.*?</all>", ""), "<string/>"
        }) {
            Files.writeString(file, damaged);
            TransferRegistry begun = new TransferRegistry();
            assertEquals(0, begun.totals().lastWeek(System.currentTimeMillis()).transfers);
            begun.save();
            assertTrue(Files.readString(file).contains("RollingTotals"));
        }
    }

    private RunningTransfer start(TransferInfo.Operation operation) {
        return RunningTransfer.start(
                new TransferInfo(operation, "secret-job", 7, agent.getNodeName(), "s", 0, null), System.out);
    }

    private String text(String page) throws Exception {
        return r.createWebClient().goTo(page).getVisibleText();
    }

    private JSONObject json() throws Exception {
        return r.getJSON(PAGE + "api/json").getJSONObject();
    }
}
