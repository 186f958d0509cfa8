package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.RoundTripEstimate;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** An agent's exception that is the cause of its own cause ends a transfer like any other. */
class CyclicCausesTest {
    private static final TransferInfo TRANSFER =
            new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "agent", null, 1, null);

    private static IOException cycle() {
        IOException first = new IOException("x");
        first.initCause(new IOException("y", first));
        return first;
    }

    private static <T> T soon(ThrowingSupplier<T> answer) {
        return assertTimeoutPreemptively(Duration.ofSeconds(5), answer);
    }

    @Test
    void theTransferHasAnOutcome() {
        TransferResult result = soon(() -> TransferResults.failed(TRANSFER, 1, 1, cycle()));
        assertEquals(TransferResult.Outcome.FAILED, result.outcome);
    }

    @Test
    void itIsNoLackOfClasses() {
        assertFalse(soon(() -> UploadTransfer.isClassConflict(cycle())));
        assertTrue(UploadTransfer.isClassConflict(new IOException(new IOException(new NoClassDefFoundError()))));
    }

    @Test
    @WithJenkins
    void theReasonIsTold(@SuppressWarnings("unused") JenkinsRule r) throws Exception {
        AgentInfo facts = new AgentInfo(new RoundTripEstimate(1, 1), 0, "", null);
        FilePath workspace = new FilePath(new File("."));
        try (DirectLaneSetup direct = DirectLaneSetup.open(
                DirectLane.OFF, workspace, facts, () -> null, RunningTransfer.withoutListeners(TRANSFER))) {
            assertEquals("why", soon(() -> direct.explain("why", cycle())));
        }
    }
}
