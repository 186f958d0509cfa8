package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(EnglishLocale.class)
class ProgressLoggerTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ProgressLogger lines =
            new ProgressLogger(new PrintStream(written, true, StandardCharsets.UTF_8), Runnable::run);
    private final AtomicLong contents = new AtomicLong();
    private final ReceiveProgress progress = new ReceiveProgress(contents::get);

    private RunningTransfer start(TransferInfo.Operation operation) {
        return start(operation, lines);
    }

    private static RunningTransfer start(TransferInfo.Operation operation, ProgressLogger lines) {
        TransferInfo transfer = new TransferInfo(operation, "job", 1, "linux-1", "classes", 3, null);
        return new RunningTransfer(transfer, List.of(lines), null);
    }

    private List<String> lines() {
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Reports a consumed part of a tar, of which nine tenths are file contents. */
    private void consume(Codec codec, int tarLength) {
        progress.consumed(new FrameHeader(codec, 0, tarLength, 10, Checksum.CRC32C, 0));
        contents.addAndGet(tarLength / 10 * 9);
    }

    @Test
    void linesBecomeLessFrequent() {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        List<Integer> logged = new ArrayList<>();
        for (int tick = 1; tick <= 60; tick++) {
            int before = lines().size();
            lines.progressed(running);
            if (lines().size() > before) {
                logged.add(tick);
            }
        }
        assertEquals(List.of(1, 2, 4, 8, 16, 28, 40, 52), logged);
    }

    @Test
    void archiveLineHasReceivedBytes() {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        running.setProgress(progress);
        running.addChannelBytes(2_000_000);
        consume(Codec.ZSTD, 40_000_000);
        consume(Codec.NONE, 10_000_000);
        lines.progressed(running);
        assertLine("Artifacts so far: 45\\.0 MB, 2\\.00 MB received, [0-9,.]+ MB/s");
    }

    /** The controller counts only bytes of the tar, which are not raw bytes. */
    @Test
    void unstashOnControllerHasShareWithoutContentBytes() {
        RunningTransfer running = start(TransferInfo.Operation.UNSTASH);
        ReceiveProgress unseen = new ReceiveProgress();
        running.setProgress(unseen);
        running.setExpectedBytes(40_000_000);
        unseen.consumed(new FrameHeader(Codec.ZSTD, 0, 10_000_000, 10, Checksum.CRC32C, 0));
        lines.progressed(running);
        assertLine("Unstash classes so far: 25%, 0 B sent, [0-9,.]+ MB/s, about [0-9.]+ (s|min|h) left");
    }

    @Test
    void unstashLineHasSentAndTotalBytes() {
        RunningTransfer running = start(TransferInfo.Operation.UNSTASH);
        running.setExpectedBytes(10_000_000);
        running.addDirectBytes(4_000_000);
        lines.progressed(running);
        assertLine("Unstash classes so far: 40%, 4\\.00 MB of 10\\.0 MB sent, [0-9,.]+ MB/s, about [0-9.]+ (s|min|h)"
                + " left");
    }

    @Test
    void failedTransferNamesAwaitedAgent() {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        running.setProgress(progress);
        running.addChannelBytes(2_000_000);
        consume(Codec.ZSTD, 50_000_000);
        running.failed(new IOException("broken on purpose"));
        assertLine("Artifacts: stopped after <?[0-9.]+ s at 45\\.0 MB;"
                + " was waiting for agent linux-1, which had sent nothing for <?[0-9.]+ s");
    }

    @Test
    void lineNamesAwaitedStore() {
        RunningTransfer running = start(TransferInfo.Operation.UNSTASH);
        running.setStore("s3://builds");
        running.setExpectedBytes(10_000_000);
        running.addDirectBytes(4_000_000);
        running.setState(AgentEnd.WAITS_FOR_STORE);
        lines.progressed(running);
        assertLine("Unstash classes so far: 40%, 4\\.00 MB of 10\\.0 MB sent, waiting for the store s3://builds");
    }

    /** A slow codec makes less than a part of an object in a minute. */
    @ParameterizedTest
    @CsvSource({"ARCHIVE, received, reads or compresses", "UNSTASH, sent, unpacks"})
    void lineNamesWorkOfAgentWithStore(TransferInfo.Operation operation, String moved, String work) {
        RunningTransfer running = start(operation);
        running.setStore("s3://builds");
        running.setState(AgentEnd.BUSY);
        lines.progressed(running);
        String line = lines().get(0);
        assertTrue(line.endsWith(" so far: 0 B " + moved + ", the agent is busy: it " + work + " files"), line);
        running.addDirectBytes(8_000_000);
        lines.progressed(running);
        assertTrue(lines().get(1).endsWith("B/s"), lines().get(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failedTransferNamesAwaitedStore(boolean waits) {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        running.setStore("s3://builds");
        running.setState(waits ? AgentEnd.WAITS_FOR_STORE : AgentEnd.BUSY);
        Exception refused = StoreFailure.BUSY.because("The store answered HTTP 503.", null);
        running.failed(waits ? new InterruptedException() : new IOException("broken on purpose", refused));
        assertLine("Artifacts: stopped after <?[0-9.]+ s at 0 B received; was waiting for the store s3://builds");
    }

    /** The controller's own reads are no data from an agent, which the transfer does not have. */
    @ParameterizedTest
    @CsvSource({"s3://builds, the store s3://builds", ", the disk"})
    void unstashOnControllerNamesWhatItReads(String store, String awaited) {
        TransferInfo transfer =
                new TransferInfo(TransferInfo.Operation.UNSTASH, "job", 1, TransferInfo.CONTROLLER, "classes", 0, null);
        RunningTransfer running = new RunningTransfer(transfer, List.of(lines), null);
        ReceiveProgress unseen = new ReceiveProgress();
        unseen.setWaiting(false);
        running.setProgress(unseen);
        running.setStore(store);
        lines.progressed(running);
        assertEquals("Unstash classes so far: 0 B sent, waiting for " + awaited, lines().get(0));
        unseen.consumed(new FrameHeader(Codec.ZSTD, 0, 10_000_000, 10, Checksum.CRC32C, 0));
        lines.progressed(running);
        assertTrue(lines().get(1).endsWith("/s"), lines().get(1));
        running.failed(new InterruptedException());
        assertTrue(lines().get(2).endsWith("was waiting for " + awaited), lines().get(2));
    }

    @Test
    void failedTransferNamesAwaitedDisk() {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        running.setProgress(progress);
        progress.setWaiting(false);
        running.failed(new InterruptedException());
        assertLine("Artifacts: stopped after <?[0-9.]+ s at 0 B received; was waiting for the disk");
    }

    @Test
    void finishedTransferLogsNothing() {
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE);
        running.completed(SendReport.NOTHING, ReceiveReport.of(Figures.counts(0, 0, 0, 0, 0)));
        lines.progressed(running);
        assertEquals(List.of(), lines());
    }

    private void assertLine(String expected) {
        assertEquals(1, lines().size());
        assertTrue(lines().get(0).matches(expected), lines().get(0));
    }

    /** Otherwise, each of many transfers would occupy another thread every minute. */
    @Test
    void hungLogDiskBlocksOnlyOneThread() {
        List<Runnable> hanging = new ArrayList<>();
        ProgressLogger hung = new ProgressLogger(new PrintStream(written, true, StandardCharsets.UTF_8), hanging::add);
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE, hung);
        for (int tick = 1; tick <= 60; tick++) {
            hung.progressed(running);
        }
        assertEquals(1, hanging.size());
        hanging.get(0).run();
        hung.progressed(running);
        assertEquals(2, hanging.size(), "the log's disk has answered");
    }

    @Test
    void threadIsRequestedAgainAfterRefusal() {
        Queue<Runnable> taken = new ArrayDeque<>();
        AtomicBoolean refuses = new AtomicBoolean(true);
        ProgressLogger lines = new ProgressLogger(new PrintStream(written, true, StandardCharsets.UTF_8), task -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("no thread");
            }
            taken.add(task);
        });
        RunningTransfer running = start(TransferInfo.Operation.ARCHIVE, lines);
        // the timer cancels a task that throws
        assertDoesNotThrow(() -> lines.progressed(running));
        refuses.set(false);
        lines.progressed(running);
        lines.progressed(running);
        assertEquals(1, taken.size());
    }

    @Test
    void disconnectedAgentHasNoName() {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "", null, 3, null);
        RunningTransfer running = new RunningTransfer(transfer, List.of(lines), null);
        running.failed(new IOException("broken on purpose"));
        assertLine(
                "Artifacts: stopped after <?[0-9.]+ s at 0 B received; was waiting for an agent that has disconnected");
    }

    /** The transfer fails while a progress line is being written. */
    @Test
    void noProgressLineFollowsTheFailure() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        List<Thread> failing = new ArrayList<>();
        RunningTransfer[] running = new RunningTransfer[1];
        PrintStream log = new PrintStream(written, true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                if (line.contains("so far")) {
                    Thread thread = new Thread(() -> running[0].failed(new IOException("broken on purpose")));
                    failing.add(thread);
                    thread.start();
                    while (thread.getState() != Thread.State.BLOCKED && thread.isAlive()) {
                        Thread.onSpinWait();
                    }
                }
                order.add(line.substring(0, line.indexOf(' ')));
            }
        };
        ProgressLogger lines = new ProgressLogger(log, Runnable::run);
        running[0] = start(TransferInfo.Operation.ARCHIVE, lines);
        lines.progressed(running[0]);
        failing.get(0).join();
        assertEquals(List.of("Artifacts", "Artifacts:"), order);
    }
}
