package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions.Session;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents that read responses or send bodies arbitrarily slowly do not keep threads of the web server. */
@Timeout(60)
class SlowRequestsTest {
    private static final int BLOCK = 64 * 1024;

    @TempDir
    private Path tmp;

    private final DirectLaneSessions sessions = new DirectLaneSessions();
    private final CountDownLatch waits = new CountDownLatch(1);

    private interface Exchange {
        void run() throws IOException;
    }

    /** Blocks until interrupted, like the streams of the web server. */
    private int await() throws InterruptedIOException {
        waits.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
        return 0;
    }

    @Test
    void slowResponseEndsWithItsTransfer() throws Exception {
        Files.writeString(tmp.resolve("a"), "content");
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
        Path stash = CapturedTransfer.store(tmp, Map.of("a", "a"), options, tmp.resolve("stash"));
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                await();
            }
        };
        try (FrameFile file = FrameFile.open(stash)) {
            Session transfer = sessions.openDownload(file, taken -> {}, entries -> {}, EndpointServer.TERMS);
            endsWithItsTransfer(transfer, () -> transfer.writeTo(new RangeRequest(0, 0, 100, 0), slow));
        }
    }

    @Test
    void slowBodyEndsWithItsTransfer() throws Exception {
        InputStream slow = new InputStream() {
            @Override
            public int read() throws IOException {
                return await();
            }
        };
        try (Receiver receiver =
                new Receiver(tmp.resolve("archive"), null, Set.of("a"), EntryDecoder.NONE, BLOCK, Runnable::run)) {
            Session transfer =
                    sessions.openUpload(receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS);
            endsWithItsTransfer(transfer, () -> transfer.readFrom(slow, 100));
        }
    }

    private void endsWithItsTransfer(Session transfer, Exchange exchange) throws Exception {
        FutureTask<Boolean> request = new FutureTask<>(() -> {
            assertTrue(transfer.begin());
            try {
                exchange.run();
            } catch (IOException e) {
                // expected, because the request is interrupted
            } finally {
                transfer.end();
            }
            return Thread.interrupted();
        });
        Thread thread = new Thread(request);
        thread.setDaemon(true);
        thread.start();
        waits.await();
        transfer.close();
        assertFalse(request.get(10, TimeUnit.SECONDS), "an interrupt would abort the next request of the thread");
        assertEquals(0, sessions.inUse());
    }
}
