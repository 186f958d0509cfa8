package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testkit.Capture;
import io.jenkins.plugins.compressionaware.testkit.LaneHook;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sender is never more than the window ahead of the receiver, and uses all of it. */
@Timeout(60)
class CreditTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);

    /** Credit is taken for a whole frame. */
    private static final int CHUNK = 100 * 1024;

    private static final int FRAME = OPTIONS.blockSize() + 64;

    /** What its frames need besides their bytes. */
    private static final long OVERHEAD = (Credit.WINDOW / FRAME + 1) * Credit.heapOf(0);

    @TempDir
    Path tmp;

    private Path workspace;
    private Map<String, String> names;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("large"), new byte[3 * Credit.WINDOW]);
        names = Trees.names(workspace);
    }

    @Test
    void senderUsesTheWindowAndNoMore() throws Exception {
        AtomicLong written = new AtomicLong();
        OutputStream lane = new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            written.addAndGet(length);
            return true;
        });
        CreditsOnDemand credits = new CreditsOnDemand(written);
        SendReport report = Sender.send(workspace, names, OPTIONS, Capture.route(List.of(lane), credits), null);
        assertEquals(report.wireBytes(), written.get());
        assertTrue(credits.asked > 0, "the sender has waited");
    }

    /** Grants four frames each time the sender waits, and checks how far ahead it is then. */
    private static final class CreditsOnDemand extends InputStream {
        private final AtomicLong written;
        private ByteBuffer next = ByteBuffer.allocate(0);
        private long granted;
        private int asked;

        CreditsOnDemand(AtomicLong written) {
            this.written = written;
        }

        @Override
        public int read() throws IOException {
            if (!next.hasRemaining()) {
                long ahead = written.get() - asked * 4L * FRAME;
                if (ahead > Credit.WINDOW || ahead <= Credit.WINDOW - CHUNK - FRAME - OVERHEAD) {
                    throw new IOException(ahead + " bytes ahead");
                }
                granted += 4 * Credit.heapOf(FRAME);
                asked++;
                next = ByteBuffer.wrap(new Credit.Grant(Credit.WINDOW + granted).toBytes());
            }
            return next.get() & 0xff;
        }
    }

    @Test
    void slowReceiverHasNoMoreThanTheWindowOnItsWay() throws Exception {
        CountDownLatch senderWaits = new CountDownLatch(1);
        AtomicLong told = new AtomicLong(Credit.WINDOW);
        AtomicLong written = new AtomicLong();
        AtomicLong mostAhead = new AtomicLong();
        ExecutorService threads = Executors.newCachedThreadPool();
        ThreadLocal<Boolean> landing = ThreadLocal.withInitial(() -> false);
        // decodes nothing until the sender has used up its credit
        try (Receiver receiver = new Receiver(tmp.resolve("archive"), null, names.keySet(), EntryDecoder.NONE, OPTIONS.blockSize(), task -> {
                    if (landing.get()) {
                        await(senderWaits);
                        task.run();
                    } else {
                        landing.set(true);
                        task.run();
                        landing.set(false);
                    }
                });
                PipedInputStream credits = new PipedInputStream();
                PipedOutputStream grants = new PipedOutputStream(credits)) {
            OutputStream lane = new LaneHook(receiver.newLane(), (write, length) -> {
                mostAhead.accumulateAndGet(written.addAndGet(length) + Credit.WINDOW - told.get(), Math::max);
                return true;
            });
            InputStream watched = new FilterInputStream(credits) {
                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    senderWaits.countDown();
                    return super.read(target, offset, length);
                }
            };
            Future<SendReport> sending = threads.submit(
                    () -> Sender.send(workspace, names, OPTIONS, Capture.route(List.of(lane), watched), null));
            receiver.receive(
                    () -> null,
                    new OutputStream() {
                        @Override
                        public void write(int b) {
                            throw new UnsupportedOperationException();
                        }

                        @Override
                        public void write(byte[] grant, int offset, int length) throws IOException {
                            told.set(ByteBuffer.wrap(grant).getLong());
                            grants.write(grant, offset, length);
                            grants.flush();
                        }
                    },
                    () -> {});
            sending.get();
        } finally {
            Threads.end(threads);
        }
        assertTrue(mostAhead.get() <= Credit.WINDOW, mostAhead + " bytes on their way");
        assertTrue(mostAhead.get() > Credit.WINDOW / 2, "the receiver was slow: " + mostAhead);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
