package io.jenkins.plugins.compressionaware.engine;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Broken transfers leave the archive unchanged; {@link Loopback} fails if one of their threads does not end. */
@Timeout(60)
class BrokenTransferTest {
    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;
    private Map<String, String> names;
    private Map<String, String> before;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("large"), FileTrees.noise(Credit.WINDOW * 2));
        names = FileTrees.names(workspace);
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.writeString(archive.resolve("large"), "earlier");
        before = FileTrees.describe(archive);
    }

    @AfterEach
    void assertArchiveIsUnchanged() throws Exception {
        assertEquals(before, FileTrees.describe(archive));
        assertEquals(2, FileTrees.list(tmp).size(), "only workspace and archive are left");
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void abortInterruptsReceiver(Codec codec) {
        Thread receiving = Thread.currentThread();
        assertThrows(
                InterruptedException.class,
                () -> archive(codec, (write, length) -> {
                    if (write == 5) {
                        receiving.interrupt();
                    }
                    return true;
                }));
        assertFalse(Thread.interrupted(), "the exception replaces the interrupt");
    }

    /** An interrupted write would cost another build its next command, so it is left to end by itself. */
    @Test
    void abortDoesNotInterruptBlockedWrite() {
        Thread receiving = Thread.currentThread();
        AtomicBoolean interrupted = new AtomicBoolean();
        assertThrows(
                InterruptedException.class,
                () -> archive(Codec.NONE, (write, length) -> {
                    receiving.interrupt();
                    try {
                        // longer than the sender waits for it
                        new CountDownLatch(1).await(3, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                    return true;
                }));
        assertFalse(interrupted.get(), "the write was interrupted");
    }

    @Test
    void interruptEndsWaitForCredit() throws Exception {
        Thread sending = Thread.currentThread();
        InputStream noCredit = new InputStream() {
            @Override
            public int read() throws IOException {
                sending.interrupt();
                TestThreads.await(new CountDownLatch(1));
                return -1;
            }
        };
        Exception ended = assertThrows(
                Exception.class,
                () -> Sender.send(
                        workspace,
                        names,
                        new SendOptions(Codec.NONE, 0),
                        CapturedTransfer.route(List.of(OutputStream.nullOutputStream()), noCredit),
                        null));
        assertTrue(
                Thread.interrupted() || ended instanceof InterruptedException, "the interrupt is not lost: " + ended);
        Threads.joinTransfers();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 100})
    void brokenLaneFailsTransfer(int atWrite) {
        assertFails(
                "Cannot send: the line is cut",
                () -> archive(Codec.NONE, (write, length) -> {
                    if (write == atWrite) {
                        throw new IOException("the line is cut");
                    }
                    return true;
                }));
    }

    @Test
    void unexpectedExceptionFailsTransfer() {
        assertFails(
                "Cannot send: a bug in the lane",
                () -> archive(Codec.NONE, (write, length) -> {
                    throw new IllegalStateException("a bug in the lane");
                }));
    }

    @Test
    void lostChunkFailsTransfer() {
        assertThrows(IOException.class, () -> archive(Codec.NONE, (write, length) -> write != 10));
    }

    @Test
    void failureReportsReasonOfReceiver() {
        assertFails(
                "Refused large: it was not requested, or came twice",
                () -> Loopback.with(new SendOptions(Codec.NONE, 0))
                        .archive(workspace, names, archive, Set.of("small")));
    }

    private void archive(Codec codec, LaneHook.Action hook) throws Exception {
        Loopback.with(new SendOptions(codec, codec.defaultLevel()))
                .through(lane -> new LaneHook(lane, hook))
                .archive(workspace, names, archive);
    }
}
