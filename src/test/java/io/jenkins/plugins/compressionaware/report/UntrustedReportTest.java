package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Figures in an agent's report never exceed the amounts that the controller counted. */
class UntrustedReportTest {
    private static TransferResult stash(SendReport sent) {
        RunningTransfer running = new RunningTransfer(
                new TransferInfo(TransferInfo.Operation.STASH, "job", 1, "agent", "s", 0, null), List.of(), null);
        running.addChannelBytes(1000);
        ReceiveReport received =
                ReceiveReport.of(Figures.counts(0, 0, 20_480, 1000, 0)).withSenderCounts(sent.figures());
        return running.completed(sent, received);
    }

    @Test
    void figuresAreLimitedToReceivedAmounts() {
        long most = Long.MAX_VALUE;
        ArrayList<CodecUsage> usages = new ArrayList<>(List.of(
                new CodecUsage(CodecLevel.UNCOMPRESSED, 1, most, most, most),
                new CodecUsage(CodecLevel.zstd(3), most, most, most, most)));
        TransferResult result = stash(new SendReport(
                new Figures(Integer.MAX_VALUE, most, 0, most, most, most, 0, 0, most), usages, true, null, 1, null));
        assertTrue(result.rawBytes <= 20_480, "raw " + result.rawBytes);
        assertTrue(result.files <= 40, "files " + result.files);
        assertTrue(result.codecs.stream().mapToLong(codec -> codec.rawBytes).sum() <= 20_480, "raw of codecs");
        assertTrue(result.codecs.stream().mapToLong(codec -> codec.wireBytes).sum() <= 1000, "wire of codecs");
        assertTrue(result.stageTimes.reading <= result.duration, "reading " + result.stageTimes.reading);
        assertTrue(result.stageTimes.link <= result.duration, "link " + result.stageTimes.link);
        assertTrue(result.sendingCpu <= 1000 * result.duration, "cpu " + result.sendingCpu);
        assertTrue(result.bottleneckRate <= 1000 * 20_480, "rate " + result.bottleneckRate);
    }

    @Test
    void negativeFiguresBecomeZeroOrUnknown() {
        ArrayList<CodecUsage> usages = new ArrayList<>(List.of(new CodecUsage(CodecLevel.zstd(3), -1, 5, -5, -5)));
        TransferResult result =
                stash(new SendReport(new Figures(-1, -5, 0, -5, -5, -5, 0, 0, -5), usages, true, null, -1, null));
        assertEquals(0, result.rawBytes);
        assertEquals(0, result.files);
        assertEquals(0, result.codecs.get(0).wireBytes);
        assertEquals(0, result.stageTimes.reading);
        assertEquals(0, result.stageTimes.compressing);
        assertEquals(0, result.bottleneckRate);
        assertEquals(-1, result.sendingCpu, "unknown");
    }

    @Test
    void missingFieldsDoNotFailCompletedTransfer() {
        TransferResult result =
                stash(new SendReport(new Figures(1, 1, 0, 1, 1, 1, 0, 0, 1), null, true, null, 1, null));
        assertTrue(
                BuildLogMessages.completed(result).startsWith("Stash s: 1 file, "), BuildLogMessages.completed(result));
        stash(new SendReport(
                new Figures(1, 1, 0, 1, 1, 1, 0, 0, 1),
                new ArrayList<>(Arrays.asList(null, new CodecUsage(null, 1, 1, 1, 1))),
                false,
                null,
                1,
                null));
    }

    @Test
    void textIsTruncated() {
        assertTrue(BuildLogMessages.oneLine("word ".repeat(1_000_000)).length() <= 1000);
        assertEquals("", BuildLogMessages.oneLine(null));
    }

    /** Deserializes a report with values that its constructor would refuse. */
    @SuppressWarnings("unchecked")
    private static <T> T received(T report, UnaryOperator<Object> replacement) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes) {
            {
                enableReplaceObject(true);
            }

            @Override
            protected Object replaceObject(Object value) {
                return replacement.apply(value);
            }
        }) {
            out.writeObject(report);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (T) in.readObject();
        }
    }

    /** A serialized list of equal elements is small, even with a million elements. */
    @Test
    void numberOfWarningsIsBounded() throws Exception {
        ExtractionWarning warning = new ExtractionWarning(ExtractionWarning.Type.SYMLINK_NOT_CREATED, 1, "a", "");
        ReceiveReport report = received(
                ReceiveReport.of(Figures.counts(1, 1, 1, 1, 0)),
                value -> value instanceof ArrayList ? Collections.nCopies(1_000_000, warning) : value);
        assertEquals(ExtractionWarning.Type.values().length, report.warnings().size());
    }

    @Test
    void lengthOfZstdProblemIsBounded() throws Exception {
        SendReport honest =
                new SendReport(new Figures(1, 1, 0, 1, 1, 1, 0, 0, 1), new ArrayList<>(), false, "why", 1, null);
        SendReport report = received(honest, value -> "why".equals(value) ? "word ".repeat(200_000) : value);
        assertEquals(1000, report.zstdProblem().length());
        assertEquals(honest, received(honest, value -> value));
    }
}
