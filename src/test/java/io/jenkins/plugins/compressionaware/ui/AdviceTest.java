package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

@WithJenkins
@ExtendWith(EnglishLocale.class)
class AdviceTest {

    private static TransferTotals slow(TransferInfo.Operation operation, int times) {
        ReceiveReport received =
                new ReceiveReport(new Figures(1_000, 1, 1, 1, 0, 0, 0, 9_000_000_000L, 0), List.of(), 4);
        TransferInfo transfer = new TransferInfo(operation, "job", 1, "agent", null, 3, null);
        TransferTotals all = TransferTotals.NONE;
        for (int i = 0; i < times; i++) {
            all = all.plus(new TransferTotals(
                    TransferResults.completed(transfer, 10_000, 1, 0, 1, SendReport.NOTHING, received)));
        }
        return all;
    }

    private static List<String> advice(TransferTotals archives, TransferTotals ofAgent) {
        return Advice.of(archives, Map.of("pi", ofAgent), Map.of(), Map.of(), List.of());
    }

    private static List<String> advice(Map<String, TransferTotals> jobs) {
        return Advice.of(TransferTotals.NONE, Map.of(), jobs, Map.of(), List.of());
    }

    private static TransferTotals builds(int times, long earlierBytes) {
        TransferTotals all = TransferTotals.NONE;
        for (int i = 0; i < times; i++) {
            TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "agent", null, 3, null);
            RunningTransfer running = RunningTransfer.withoutListeners(transfer);
            running.recordReused(7, earlierBytes);
            all = all.plus(new TransferTotals(running.completed(SendReport.NOTHING, RECEIVED)));
        }
        return all;
    }

    private static final ReceiveReport RECEIVED =
            new ReceiveReport(new Figures(3, 1_000, 1_000, 900, 0, 0, 0, 1, 0), List.of(), 0);

    @Test
    void jobWithoutRepeatedContentIsNamedAfterThreeBuilds(JenkinsRule r) {
        assertEquals(
                List.of(), advice(Map.of("some", builds(2, 0), "gains", builds(3, 900), "none", TransferTotals.NONE)));
        List<String> advice = advice(Map.of("gains", builds(1, 900), "loses", builds(3, 49)));
        assertEquals(1, advice.size(), advice::toString);
        assertTrue(advice.get(0).matches("Job loses rarely repeats content \\(5.*%\\).*"), advice::toString);
    }

    @Test
    void slowDiskIsNamedAfterThreeTransfers() {
        assertEquals(
                List.of(), advice(slow(TransferInfo.Operation.ARCHIVE, 2), slow(TransferInfo.Operation.UNSTASH, 2)));
        List<String> advice = advice(slow(TransferInfo.Operation.ARCHIVE, 5), slow(TransferInfo.Operation.UNSTASH, 4));
        assertEquals(2, advice.size(), advice::toString);
        assertTrue(advice.get(0).contains("in 5 of 5 transfers since yesterday (UTC)"), advice::toString);
        assertTrue(advice.get(1).contains("4 of 4") && advice.get(1).contains("agent pi"), advice::toString);
    }
}
