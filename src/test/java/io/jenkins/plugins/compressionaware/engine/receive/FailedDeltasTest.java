package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.engine.delta.ReferenceArchive;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files whose deltas fail, because the reference build changes or disappears, are resent in full before the commit. */
@Timeout(60)
class FailedDeltasTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.ZSTD, 1);

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    @TempDir
    Path tmp;

    private Path workspace;
    private Path before;
    private Path after;

    @AutoClose
    private ReferenceArchive reference;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        before = Files.createDirectory(tmp.resolve("before"));
        after = tmp.resolve("after");
        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            // large files, which are written as they arrive, and small files, which are written whole
            byte[] content = new byte[i % 2 == 0 ? 2_000_000 : 20_000];
            random.nextBytes(content);
            Files.write(before.resolve("file" + i), content);
            Files.write(workspace.resolve("file" + i), content);
        }
        Path index = tmp.resolve(ChunkIndex.FILE);
        ChunkIndex.of(before, new ArchiveStats(1, 1 << 30, 1, 1000, -1, 0)).write(index);
        reference = ReferenceArchive.open("agent", before, index);
    }

    private ReceiveReport send(Receiver receiver, Map<String, String> files, byte[] signature) throws Exception {
        try (CreditPipe credits = new CreditPipe()) {
            Future<?> sending = threads.submit(() -> Sender.send(
                    workspace,
                    files,
                    OPTIONS,
                    CapturedTransfer.target(List.of(receiver.inbox().newLane()), credits, receiver),
                    signature));
            ReceiveReport report = CapturedTransfer.receive(receiver, credits.sink(), () -> {});
            sending.get();
            return report;
        }
    }

    /** Resends files whose deltas failed. */
    private ReceiveReport resend(Receiver receiver, Map<String, String> files) throws Exception {
        Map<String, String> failed = new HashMap<>(files);
        failed.keySet().retainAll(receiver.missing());
        ReceiveReport report = send(receiver, failed, null);
        assertEquals(Set.of(), receiver.missing());
        return report;
    }

    private Receiver receiver(Map<String, String> files) throws IOException, InterruptedException {
        return new Receiver(after, null, files.keySet(), reference, OPTIONS.blockSize(), threads);
    }

    @Test
    void filesWithFailedDeltasAreResent() throws Exception {
        Files.delete(before.resolve("file0"));
        Files.delete(before.resolve("file1"));
        Files.write(before.resolve("file4"), new byte[2_000_000]);
        Files.write(before.resolve("file5"), new byte[20_000]);
        Files.write(before.resolve("file6"), new byte[20_000]);
        Map<String, String> files = FileTrees.names(workspace);
        try (Receiver receiver = receiver(files)) {
            ReceiveReport first = send(receiver, files, reference.index().signature(1000));
            assertTrue(first.figures().wireBytes() < 100_000, first.figures().wireBytes() + " bytes");
            assertEquals(Set.of("file0", "file1", "file4", "file5", "file6"), receiver.missing());
            ReceiveReport all = first.plus(resend(receiver, files));
            assertEquals(files.size(), all.figures().entries());
            long bytes = 0;
            for (String name : files.keySet()) {
                bytes += Files.size(workspace.resolve(name));
            }
            assertEquals(bytes, all.figures().contentBytes());
            assertTrue(Files.notExists(after), "nothing is visible before the commit");
            receiver.commit();
        }
        assertEquals(Optional.empty(), FileTrees.difference(workspace, after, files.keySet()));
    }

    /** The rest of a failed delta is skipped, and is no overhead of the next entry. */
    @Test
    void fileWithFailedDeltaAndManyNewBytesIsResent() throws Exception {
        byte[] added = new byte[300_000];
        new Random(2).nextBytes(added);
        byte[] old = Files.readAllBytes(before.resolve("file0"));
        try (OutputStream out = Files.newOutputStream(workspace.resolve("file0"))) {
            out.write(old, 0, 1_000_000);
            out.write(added);
            out.write(old, 1_000_000, 1_000_000);
        }
        Files.delete(before.resolve("file0"));
        Map<String, String> files = FileTrees.names(workspace);
        try (Receiver receiver = receiver(files)) {
            ReceiveReport first = send(receiver, files, reference.index().signature(1000));
            assertTrue(first.figures().wireBytes() < 1_000_000, first.figures().wireBytes() + " bytes");
            assertEquals(Set.of("file0"), receiver.missing());
            resend(receiver, files);
            receiver.commit();
        }
        assertEquals(Optional.empty(), FileTrees.difference(workspace, after, files.keySet()));
    }

    @Test
    void filesOfDeletedReferenceBuildAreResent() throws Exception {
        Map<String, String> files = FileTrees.names(workspace);
        byte[] signature = reference.index().signature(1000);
        Future<?> deletes = threads.submit(() -> {
            for (int i = 19; i >= 0; i--) {
                Files.delete(before.resolve("file" + i));
                Thread.sleep(1);
            }
            return null;
        });
        try (Receiver receiver = receiver(files)) {
            send(receiver, files, signature);
            deletes.get();
            if (!receiver.missing().isEmpty()) {
                resend(receiver, files);
            }
            receiver.commit();
        }
        assertEquals(Optional.empty(), FileTrees.difference(workspace, after, files.keySet()));
    }

    @Test
    void failureToResendFilesLeavesNothingBehind() throws Exception {
        Files.delete(before.resolve("file0"));
        Map<String, String> files = FileTrees.names(workspace);
        try (Receiver receiver = receiver(files)) {
            send(receiver, files, reference.index().signature(1000));
            assertEquals(Set.of("file0"), receiver.missing());
            receiver.start();
        }
        assertEquals(3, FileTrees.list(tmp).size(), "workspace, reference build and its index");
    }
}
