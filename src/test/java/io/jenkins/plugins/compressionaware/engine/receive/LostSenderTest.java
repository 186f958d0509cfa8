package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A receiver loses its sender, and another one sends what is missing. */
@Timeout(60)
class LostSenderTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);
    private static final int FILES = 12;
    private static final int SIZE = 500_000;

    private final ExecutorService threads = new TestThreads();
    private final HeapBudget budget = new HeapBudget(4L * Credit.WINDOW);

    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;
    private Map<String, String> files;
    private byte[] stream;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        archive = tmp.resolve("archive");
        for (int i = 0; i < FILES; i++) {
            Files.write(workspace.resolve("file" + i), FileTrees.noise(SIZE));
        }
        files = FileTrees.names(workspace);
        stream = CapturedTransfer.stream(workspace, files, OPTIONS);
    }

    private Receiver archiving() throws Exception {
        return ReceiverTest.receiver(archive, files.keySet(), OPTIONS.blockSize(), threads, budget, () -> -1);
    }

    /** Sends the first bytes, and then fails. */
    private OutputStream lose(Receiver receiver, byte[] bytes, int length) throws Exception {
        OutputStream lane = receiver.inbox().newLane();
        receiver.start();
        lane.write(bytes, 0, length);
        assertFails(
                "the connection was lost",
                () -> receiver.awaitEnd(() -> {
                    throw new IOException("the connection was lost");
                }));
        return lane;
    }

    private ReceiveReport send(Receiver receiver, Set<String> names) throws Exception {
        Map<String, String> rest = new HashMap<>(files);
        rest.keySet().retainAll(names);
        try (CreditPipe credits = new CreditPipe()) {
            Future<?> sending = threads.submit(() -> Sender.send(
                    workspace,
                    rest,
                    OPTIONS,
                    CapturedTransfer.target(List.of(receiver.inbox().newLane()), credits, receiver),
                    null));
            ReceiveReport report = CapturedTransfer.receive(receiver, credits.sink(), () -> {});
            sending.get();
            return report;
        }
    }

    @Test
    void archiveContinuesWithIncompleteFiles() throws Exception {
        try (Receiver receiver = archiving()) {
            long before = receiver.inbox().credit();
            lose(receiver, stream, stream.length / 2);
            ReceiveReport kept = receiver.restart();
            Set<String> missing = receiver.missing();
            assertEquals(FILES, kept.figures().entries() + missing.size());
            assertTrue(kept.figures().entries() > 2, kept.figures().entries() + " files");
            assertEquals((long) SIZE * kept.figures().entries(), kept.figures().contentBytes());
            assertEquals(0, receiver.inbox().frames());
            assertEquals(before, receiver.inbox().credit() - receiver.inbox().heap(), "the window is the same");
            ReceiveReport all = kept.plus(send(receiver, missing));
            receiver.commit();
            assertEquals(FILES, all.figures().entries());
            assertEquals((long) SIZE * FILES, all.figures().contentBytes());
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        assertEquals(0, budget.inUse());
    }

    @Test
    void threeLossesAreSurvived() throws Exception {
        try (Receiver receiver = archiving()) {
            Set<String> missing = files.keySet();
            for (int i = 0; i < 3; i++) {
                Map<String, String> rest = new HashMap<>(files);
                rest.keySet().retainAll(missing);
                byte[] bytes = CapturedTransfer.stream(workspace, rest, OPTIONS);
                lose(receiver, bytes, bytes.length / 3);
                receiver.restart();
                assertTrue(receiver.missing().size() < missing.size());
                missing = receiver.missing();
            }
            send(receiver, missing);
            receiver.commit();
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    /** The first sender may still send over its lanes, because an agent notices the loss of its connection later. */
    @Test
    void framesOfLostSenderAreRefused() throws Exception {
        try (Receiver receiver = archiving()) {
            DirectReceiver direct = receiver.inbox().newDirectReceiver();
            OutputStream lane = lose(receiver, stream, stream.length / 2);
            receiver.restart();
            byte[] late = CapturedTransfer.frames(stream).get(0);
            assertThrows(IOException.class, () -> lane.write(late));
            InputStream body = new ByteArrayInputStream(late);
            assertThrows(IOException.class, () -> direct.take(body, late.length));
            assertEquals(0, receiver.inbox().frames());
            send(receiver, receiver.missing());
            receiver.commit();
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    /** The connection is lost before the engine of the agent has started, for example. */
    @Test
    void lossBeforeFirstFrame() throws Exception {
        try (Receiver receiver = archiving()) {
            receiver.start();
            ReceiveReport kept = receiver.restart();
            assertEquals(0, kept.figures().entries());
            assertEquals(files.keySet(), receiver.missing());
            send(receiver, receiver.missing());
            receiver.commit();
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    /** Otherwise, the disk would seem to limit a transfer whose connection was silent for long before it was lost. */
    @Test
    void waitForLostSenderIsNoTimeOfDisk() throws Exception {
        try (Receiver receiver = archiving()) {
            long start = System.nanoTime();
            OutputStream lane = receiver.inbox().newLane();
            receiver.start();
            lane.write(stream, 0, stream.length / 2);
            Thread.sleep(1500);
            long unpacking = receiver.restart().figures().unpackNanos();
            long elapsed = System.nanoTime() - start;
            assertTrue(unpacking < elapsed - 500_000_000, unpacking + " of " + elapsed + " ns");
        }
    }

    /** Everything has arrived, but the report of the agent is lost. */
    @Test
    void lossAfterLastFrame() throws Exception {
        try (Receiver receiver = archiving()) {
            send(receiver, files.keySet());
            ReceiveReport kept = receiver.restart();
            assertEquals(FILES, kept.figures().entries());
            assertEquals(Set.of(), receiver.missing());
            assertEquals(0, send(receiver, Set.of()).figures().entries());
            receiver.commit();
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    private Receiver storing(Path stash) throws Exception {
        return new Receiver(
                helpers -> new FrameFileDestination(
                        new FrameFileWriter(stash, tmp.resolve("partial"), OPTIONS.blockSize(), Long.MAX_VALUE)),
                OPTIONS.blockSize(),
                threads,
                new InterruptibleDiskTask(threads),
                budget,
                () -> -1);
    }

    @Test
    void frameFileBeginsAnew() throws Exception {
        Path stash = tmp.resolve("stash");
        try (Receiver receiver = storing(stash)) {
            lose(receiver, stream, stream.length / 2);
            assertTrue(receiver.progress().tarBytes() > 0);
        }
        assertEquals(
                List.of(),
                FileTrees.list(tmp).stream()
                        .filter(name -> name.contains("partial"))
                        .toList());
        try (Receiver receiver = storing(stash)) {
            send(receiver, files.keySet());
            receiver.commit();
        }
        try (FrameFile file = FrameFile.open(stash)) {
            assertEquals(stream.length, file.wireBytes());
        }
        assertEquals(
                List.of("stash", "workspace"),
                FileTrees.list(tmp).stream().filter(name -> !name.contains("/")).toList());
        assertEquals(0, budget.inUse());
    }

    /** A disk that is full fails the transfer, even if the connection is lost at the same time. */
    @Test
    void failureOfDiskStays() throws Exception {
        try (Receiver receiver = archiving()) {
            lose(receiver, stream, stream.length / 2);
            receiver.restart();
            FileTrees.delete(tmp.resolve(FileTrees.list(tmp).stream()
                    .filter(name -> name.endsWith(".partial"))
                    .findFirst()
                    .orElseThrow()));
            assertThrows(IOException.class, () -> send(receiver, receiver.missing()));
        }
    }
}
