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

/** An exception from an agent whose cause chain is a cycle fails its transfer like any other exception. */
class CyclicCausesTest {
    private static final TransferInfo TRANSFER = TransferResults.transfer(TransferInfo.Operation.ARCHIVE);

    private static IOException cycle() {
        IOException first = new IOException("x");
        first.initCause(new IOException("y", first));
        return first;
    }

    private static <T> T withinFiveSeconds(ThrowingSupplier<T> answer) {
        return assertTimeoutPreemptively(Duration.ofSeconds(5), answer);
    }

    @Test
    void transferWithCyclicCauseFails() {
        TransferResult result = withinFiveSeconds(() -> TransferResults.failed(TRANSFER, 1, 1, cycle()));
        assertEquals(TransferResult.Outcome.FAILED, result.outcome);
    }

    @Test
    void cyclicCauseIsNoClassConflict() {
        assertFalse(withinFiveSeconds(() -> UploadTransfer.isClassConflict(cycle())));
        assertTrue(UploadTransfer.isClassConflict(new IOException(new IOException(new NoClassDefFoundError()))));
    }

    @Test
    @WithJenkins
    void reasonWithCyclicCauseIsReported(@SuppressWarnings("unused") JenkinsRule r) throws Exception {
        AgentInfo facts = new AgentInfo(new RoundTripEstimate(1, 1), 0, "", null);
        FilePath workspace = new FilePath(new File("."));
        try (DirectLaneSetup direct =
                DirectLaneSetup.open(DirectLane.OFF, workspace, "agent", System.out, facts, terms -> null)) {
            assertEquals("why", withinFiveSeconds(() -> direct.explain("why", cycle())));
        }
    }
}
