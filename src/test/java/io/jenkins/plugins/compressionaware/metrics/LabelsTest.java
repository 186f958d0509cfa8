package io.jenkins.plugins.compressionaware.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.adaptive.Usage;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class LabelsTest {
    private static TransferResult result(List<Usage> usages) {
        SendReport sent = SendReport.ofStored(1, 10_000, 5_000, null);
        sent.usages().clear();
        sent.usages().addAll(usages);
        RunningTransfer running =
                RunningTransfer.start(new Transfer(Transfer.Kind.ARCHIVE, "job", 1, "", null, 0, null), System.out);
        running.arrived(5_000);
        return running.completed(sent, ReceiveReport.untimed(1, 10_000, 10_000, 5_000, 0));
    }

    @Test
    void allLevelsOfACodecAreOne() {
        TransferResult result = result(List.of(
                new Usage(Choice.STORED, 1, 4_000, 4_000, 0),
                new Usage(Choice.zstd(1), 1, 3_000, 500, 0),
                new Usage(Choice.zstd(3), 1, 3_000, 500, 0)));
        assertEquals("zstd", Labels.codec(result));
        assertEquals("none", Labels.codec(result(List.of())), "nothing was sent");
    }
}
