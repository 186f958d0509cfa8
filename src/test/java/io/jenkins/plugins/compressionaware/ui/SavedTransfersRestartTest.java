package io.jenkins.plugins.compressionaware.ui;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.sf.json.JSONObject;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.flow.FlowDurabilityHint;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.job.properties.DurabilityHintJobProperty;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Transfers of a build and totals after a crash of the controller, with the Pipeline durability that saves least. */
class SavedTransfersRestartTest extends RealJenkinsTestBase {
    /** Only the transfers of the last seconds may be lost. */
    @Test
    void savedTransfersSurviveCrash() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(SavedTransfersRestartTest::archiveAndGoOn);
        jenkins.runRemotely(SavedTransfersRestartTest::awaitSaved);
        jenkins.runRemotely(SavedTransfersRestartTest::saveSums);
        jenkins.stopJenkinsForcibly();
        jenkins.startJenkins();
        jenkins.runRemotely(SavedTransfersRestartTest::assertRemembered);
    }

    private static void archiveAndGoOn(JenkinsRule r) throws Throwable {
        Archiving.configure();
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition("""
                node('remote') {
                    writeFile file: 'file', text: 'content'
                    archiveArtifacts 'file'
                }
                sleep 600
                """, true));
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
