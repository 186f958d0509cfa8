package io.jenkins.plugins.compressionaware.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricNamesTest {
    private static TransferResult result(List<CodecUsage> usages) {
        SendReport sent = SendReport.ofFrameFile(Figures.counts(1, 10_000, 10_000, 5_000, 0), null);
        sent.usages().clear();
        sent.usages().addAll(usages);
        RunningTransfer running = RunningTransfer.start(
                new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "", null, 0, null), System.out);
        running.addChannelBytes(5_000);
        return running.completed(sent, ReceiveReport.of(Figures.counts(1, 10_000, 10_000, 5_000, 0)));
    }

    @Test
    void codecHasMostBytesOverItsLevels() {
        TransferResult result = result(List.of(
                new CodecUsage(CodecLevel.UNCOMPRESSED, 1, 4_000, 4_000, 0),
                new CodecUsage(CodecLevel.zstd(1), 1, 3_000, 500, 0),
                new CodecUsage(CodecLevel.zstd(3), 1, 3_000, 500, 0)));
        assertEquals("zstd", MetricNames.codec(result));
        assertEquals("none", MetricNames.codec(result(List.of())), "nothing was sent");
    }
}
