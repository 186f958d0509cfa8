package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.receive.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
    private final Locale before = Locale.getDefault();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ProgressLines lines =
            new ProgressLines(new PrintStream(written, true, StandardCharsets.UTF_8), Runnable::run);
    private final Progress progress = new Progress();

    @BeforeEach
    void speakEnglish() {
        Locale.setDefault(Locale.ENGLISH);
    }

    @AfterEach
    void speakAsBefore() {
        Locale.setDefault(before);
    }

    private RunningTransfer start(Transfer.Kind kind) {
        Transfer transfer = new Transfer(kind, "job", 1, "linux-1", "classes", 3, null);
        return RunningTransfer.start(transfer, List.of(lines), null);
    }

    private List<String> lines() {
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private void consume(Codec codec, int rawLength) {
        progress.consumed(new FrameHeader(codec, false, 0, rawLength, 10, Checksum.NONE, 0));
    }

    @Test
    void theyGetRarer() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        List<Integer> said = new ArrayList<>();
        for (int tick = 1; tick <= 60; tick++) {
            int earlier = lines().size();
            lines.progressed(running);
            if (lines().size() > earlier) {
                said.add(tick);
            }
        }
        assertEquals(List.of(1, 2, 4, 8, 16, 28, 40, 52), said);
    }

    @Test
    void anArchiveWhoseSizeIsNotKnownYet() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.follow(progress);
        running.arrived(2_000_000);
        consume(Codec.ZSTD, 40_000_000);
        consume(Codec.NONE, 10_000_000);
        lines.progressed(running);
        assertLine("Artifacts so far: 50\\.0 MB raw, 2\\.00 MB wire, none \\+ zstd, [0-9.]+ MB/s");
    }

    @Test
    void anArchiveWhoseSizeIsKnown() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.follow(progress);
        running.expectRaw(200_000_000);
        running.arrived(2_000_000);
        consume(Codec.ZSTD, 50_000_000);
        lines.progressed(running);
        assertLine(
                "Artifacts so far: 25 %, 50\\.0 MB raw of 200\\.0 MB, 2\\.00 MB wire, zstd, [0-9.]+ MB/s, about [0-9,]+ s left");
    }

    @Test
    void itIsNeverAHundredPercent() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.follow(progress);
        running.expectRaw(1000);
        consume(Codec.ZSTD, 3000);
        lines.progressed(running);
        assertTrue(lines().get(0).contains("so far: 99 %, "), lines().get(0));
    }

    @Test
    void anUnstashKnowsTheWireBytes() {
        RunningTransfer running = start(Transfer.Kind.UNSTASH);
        running.expectWire(10_000_000);
        running.arrivedDirectly(4_000_000);
        lines.progressed(running);
        assertLine("Unstash classes so far: 40 %, 4\\.00 MB wire of 10\\.0 MB, [0-9.]+ MB/s, about [0-9,]+ s left");
    }

    @Test
    void aFailedOneSaysWhatItWaitedFor() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.follow(progress);
        running.arrived(2_000_000);
        consume(Codec.ZSTD, 50_000_000);
        running.failed(new IOException("broken on purpose"));
        assertLine("Artifacts: ended after [0-9.]+ s with 50\\.0 MB raw, 2\\.00 MB wire;"
                + " it waited for the agent linux-1, nothing had come for [0-9.]+ s");
    }

    @Test
    void aFailedOneSaysThatItWrote() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.follow(progress);
        progress.waits(false);
        running.failed(new InterruptedException());
        assertLine("Artifacts: ended after [0-9.]+ s with 0 B wire; it was writing what had arrived");
    }

    @Test
    void whatIsOverSaysNothing() {
        RunningTransfer running = start(Transfer.Kind.ARCHIVE);
        running.completed(null, null);
        lines.progressed(running);
        assertEquals(List.of(), lines());
    }

    private void assertLine(String expected) {
        assertEquals(1, lines().size());
        assertTrue(lines().get(0).matches(expected), lines().get(0));
    }
}
