package io.jenkins.plugins.compressionaware.engine.send;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FrameFileServerTest {
    @TempDir
    private Path tmp;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    private final CreditPipe requests = new CreditPipe();
    private final CountDownLatch closed = new CountDownLatch(1);
    private Path stash;

    @BeforeEach
    void store() throws Exception {
        Path tree = Files.createDirectory(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("noise"), 300_000);
        stash = CapturedTransfer.store(
                tree, FileTrees.names(tree), new SendOptions(Codec.NONE, 0), tmp.resolve("stash"));
    }

    private abstract class Lane extends OutputStream {
        @Override
        public void write(int b) {
            throw new AssertionError("the lane must write whole arrays");
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /**
     * Over a WebSocket, the agent would read another build's command as the rest of a command that was cut short. But remoting does not wake a thread that
     * waits for an agent whose channel has closed.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writeToLaneIsInterruptedOnlyIfChannelHasClosed(boolean channelHasClosed) throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Lane lane = new Lane() {
            @Override
            public void write(byte[] bytes) {
                writing.countDown();
                try {
                    goOn.await();
                    interrupted.complete(false);
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                }
            }
        };
        try (FrameFile file = FrameFile.open(stash);
                FrameFileServer server = new FrameFileServer(file, List.of(lane), threads)) {
            server.start(requests, entries -> {});
            requests.sink().write(new RangeRequest(0, 0, 250_000, 0).toBytes());
            writing.await();
            server.close();
            if (channelHasClosed) {
                server.writes().channelClosed();
            } else {
                goOn.countDown();
            }
            assertEquals(channelHasClosed, interrupted.get(1, TimeUnit.MINUTES));
        }
        closed.await();
    }

    /** The agent would block the channel's only thread for streams with requests that nothing reads. */
    @Test
    void closeRefusesFurtherRequests() throws Exception {
        Lane lane = new Lane() {};
        try (FrameFile file = FrameFile.open(stash);
                FrameFileServer server = new FrameFileServer(file, List.of(lane), threads)) {
            server.start(requests, entries -> {});
        }
        closed.await();
        assertThrows(IOException.class, () -> requests.sink().write(new byte[RangeRequest.BYTES]));
    }

    /** An abort before the agent's call has started: only these lanes tell the agent that nothing will arrive. */
    @Test
    void closeBeforeStartClosesLanes() throws Exception {
        try (FrameFile file = FrameFile.open(stash)) {
            new FrameFileServer(file, List.of(new Lane() {}), threads).close();
        }
        closed.await();
    }

    /** The agent knows only that its lane has ended. */
    @Test
    void ownFailureTakesPrecedence() throws Exception {
        Lane lane = new Lane() {
            @Override
            public void write(byte[] bytes) {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        try (FrameFile file = FrameFile.open(stash);
                FrameFileServer server = new FrameFileServer(file, List.of(lane), threads)) {
            server.start(requests, entries -> {});
            assertEquals("java.io.EOFException", server.failureOr("java.io.EOFException"));
            requests.sink().write(new RangeRequest(0, 0, 1000, 0).toBytes());
            closed.await();
            await().untilAsserted(() -> assertEquals(
                    "the sending JVM is out of memory: Java heap space", server.failureOr("java.io.EOFException")));
        }
    }

    /** The agent has the reason: it closes its streams when its disk is full, for example. */
    @Test
    void refusedWriteIsNotAFailureOfThisEnd() throws Exception {
        Lane lane = new Lane() {
            @Override
            public void write(byte[] bytes) throws IOException {
                throw new IOException("Pipe is already closed");
            }
        };
        try (FrameFile file = FrameFile.open(stash);
                FrameFileServer server = new FrameFileServer(file, List.of(lane), threads)) {
            server.start(requests, entries -> {});
            requests.sink().write(new RangeRequest(0, 0, 1000, 0).toBytes());
            closed.await();
            assertEquals("No space left on device", server.failureOr("No space left on device"));
        }
    }
}
