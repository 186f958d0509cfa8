package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sender uses the whole credit window, and never exceeds it. */
@Timeout(60)
class CreditTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);

    private static final int CHUNK = 100 * 1024;

    /** Credit is used for whole frames only. */
    private static final int FRAME = OPTIONS.blockSize() + 64;

    /** Heap cost of a window's frames in addition to their bytes. */
    private static final long OVERHEAD = (Credit.WINDOW / FRAME + 1) * Credit.heapCost(0);

    @TempDir
    Path tmp;

    private Path workspace;
    private Map<String, String> names;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("large"), new byte[3 * Credit.WINDOW]);
        names = FileTrees.names(workspace);
    }

    @Test
    void senderUsesWholeWindowAndNoMore() throws Exception {
        AtomicLong written = new AtomicLong();
        OutputStream lane = new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            written.addAndGet(length);
            return true;
        });
        CreditsOnDemand credits = new CreditsOnDemand(written);
        SendReport report =
                Sender.send(workspace, names, OPTIONS, CapturedTransfer.route(List.of(lane), credits), null);
        assertEquals(report.figures().wireBytes(), written.get());
        assertTrue(credits.waits > 0, "the sender must wait for credit");
    }

    /** Grants four frames whenever the sender waits, and checks how far the sender is ahead. */
    private static final class CreditsOnDemand extends InputStream {
        private final AtomicLong written;
        private ByteBuffer next = ByteBuffer.allocate(0);
        private long granted;
        private int waits;

        CreditsOnDemand(AtomicLong written) {
            this.written = written;
        }

        @Override
        public int read() throws IOException {
            if (!next.hasRemaining()) {
                long ahead = written.get() - waits * 4L * FRAME;
                if (ahead > Credit.WINDOW || ahead <= Credit.WINDOW - CHUNK - FRAME - OVERHEAD) {
                    throw new IOException(ahead + " bytes ahead");
                }
                granted += 4 * Credit.heapCost(FRAME);
                waits++;
                next = ByteBuffer.allocate(Long.BYTES).putLong(0, Credit.WINDOW + granted);
            }
            return next.get() & 0xff;
        }
    }

    @Test
    void lostGrantsAreReplaced() throws Exception {
        Loopback.Result result = Loopback.with(OPTIONS)
                .grantingThrough(out -> new LaneHook(out, (write, length) -> {
                    if (write >= 3 && write <= 12) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                    return true;
                }))
                .archive(workspace, names, tmp.resolve("archive"));
        assertEquals(3 * Credit.WINDOW, result.received().figures().contentBytes());
    }
}
