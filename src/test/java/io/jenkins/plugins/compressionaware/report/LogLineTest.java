package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.testkit.English;
import io.jenkins.plugins.compressionaware.transfer.DirectReport;
import io.jenkins.plugins.compressionaware.transfer.LaneTrouble;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(English.class)
class LogLineTest {
    private static final Choice STORED = new Choice(Codec.NONE, 0);
    private static final Choice ZSTD = new Choice(Codec.ZSTD, 3);

    private final ArrayList<Usage> usages = new ArrayList<>();
    private Transfer transfer = transfer(Transfer.Kind.ARCHIVE, null, null);
    private Reason reason;
    private int files = 3;
    private int lanes = 1;
    private long channel = 500_000_000;
    private long direct;
    private long unpackNanos;
    private int writers;

    private static Transfer transfer(Transfer.Kind kind, String stash, String chosenBy) {
        return new Transfer(kind, "job", 1, "agent", stash, 3, chosenBy);
    }

    private void used(Choice choice, long rawBytes) {
        usages.add(new Usage(choice, 1, rawBytes, rawBytes / 2, 1));
    }

    private String line() {
        DirectReport report = direct == 0
                ? null
                : new DirectReport("url", 3, direct, null, new LaneTrouble[0], DirectReport.Outcome.WORKED, 1);
        SendReport sent = new SendReport(usages, reason, new ArrayList<>(), files, 0, 0, 2, 0, 0, report, 0);
        ReceiveReport received = new ReceiveReport(
                files, 1_000_000_000, 1_000_000_000, channel + direct, 0, 0, unpackNanos, 0, List.of(), writers);
        return LogLine.of(Results.completed(transfer, 2000, channel, direct, lanes, sent, received));
    }

    @Test
    void oneCodec() {
        used(ZSTD, 100);
        assertEquals("Artifacts: 3 files, 1.00 GB raw, 500.0 MB wire, zstd 3, 2.00 s, 500.0 MB/s", line());
        files = 1;
        lanes = 4;
        transfer = transfer(Transfer.Kind.ARCHIVE, null, "set by the job");
        assertEquals(
                "Artifacts: 1 file, 1.00 GB raw, 500.0 MB wire, zstd 3 (set by the job), over 4 lanes, 2.00 s, 500.0"
                        + " MB/s",
                line());
        files = 0;
        assertEquals("Artifacts: 0 files", line().substring(0, 18));
        files = 12_345;
        assertEquals("Artifacts: 12,345 files", line().substring(0, 23));
    }

    @Test
    void theShareComesFirstAndRatesHaveNoExponent() {
        used(ZSTD, 160);
        used(STORED, 836);
        used(new Choice(Codec.LZ4, 0), 4);
        reason = new Reason(Limit.LINK, 1.1e9);
        assertEquals(
                "Artifacts: 3 files, 1.00 GB raw, 500.0 MB wire, auto: 84 % stored, 16 % zstd 3, limited by the link"
                        + " at 1100.0 MB/s, 2.00 s, 500.0 MB/s",
                line());
        transfer = transfer(Transfer.Kind.ARCHIVE, null, "set by the folder a");
        assertEquals("auto (set by the folder a): 84 %", line().substring(48, 80));
    }

    @Test
    void whatWentWhichWay() {
        used(STORED, 100);
        direct = 400_000_000;
        channel = 4_000_000;
        assertEquals(
                "Artifacts: 3 files, 1.00 GB raw, 404.0 MB wire, none, direct 400.0 MB over 3 connections, channel"
                        + " 4.00 MB, 2.00 s, 500.0 MB/s",
                line());
        channel = 0;
        assertEquals(
                "Artifacts: 3 files, 1.00 GB raw, 400.0 MB wire, none, direct 400.0 MB over 3 connections, 2.00 s,"
                        + " 500.0 MB/s",
                line());
    }

    @Test
    void everyLimitHasWords() {
        used(ZSTD, 10);
        for (Limit limit : Limit.values()) {
            reason = new Reason(limit, 41.23e6);
            String words = line();
            boolean hasRate = limit.compareTo(Limit.NOTHING_MEASURED) < 0;
            assertEquals(hasRate, words.contains(" 41.2 MB/s, 2.00 s"), words);
            assertTrue(words.contains("auto: 100 % zstd 3, "), words);
        }
        usages.clear();
        assertTrue(line().contains("auto: nothing to choose, 2.00 s"), line());
    }

    @Test
    void aDiskThatWasWaitedForIsWhatLimitsIt() {
        used(ZSTD, 10);
        files = 3_000;
        writers = 16;
        unpackNanos = 1_500_000_000;
        assertTrue(
                line().contains("zstd 3, limited by the controller's disk: writing 2,000 files/s with 16 writers, 2.00"
                        + " s"),
                line());
        reason = new Reason(Limit.LINK, 41.23e6);
        assertTrue(line().contains("auto: 100 % zstd 3, limited by the controller's disk: writing 2,000 "), line());
        transfer = transfer(Transfer.Kind.UNSTASH, "classes", null);
        assertTrue(line().contains("limited by the agent's disk: writing 2,000 files/s with 16 writers, "), line());
        unpackNanos = 500_000_000;
        assertTrue(line().contains("limited by the link"), "it has waited for something else: " + line());
        writers = 0;
        unpackNanos = 1_500_000_000;
        assertTrue(line().contains("limited by the link"), "no file took long: " + line());
    }

    @Test
    void stashes() {
        used(ZSTD, 100);
        transfer = transfer(Transfer.Kind.STASH, "classes", null);
        assertEquals("Stash classes: 3 files, ", line().substring(0, 24));
        transfer = transfer(Transfer.Kind.UNSTASH, "classes", null);
        assertEquals("Unstash classes: 3 files, ", line().substring(0, 26));
    }

    @Test
    void otherWays() {
        assertEquals(
                "Artifacts: 1 file copied on the controller, no codec, 2.00 s", LogLine.ofLocal(1, 2_000_000_000L));
        assertEquals(
                "Artifacts: 2 files archived by Jenkins itself, as configured for agents like a, 20.0 s",
                LogLine.ofLeftToCore(2, "a", 20_000_000_000L));
    }

    @Test
    void whatAnAgentSaysIsOneLine() {
        assertEquals("a b c", LogLine.oneLine("a\r\nb\u001bc"));
        assertEquals("a b c d", LogLine.oneLine("a\u0085b\u2028c\u202e\u2066d"));
    }
}
