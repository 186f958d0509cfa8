package io.jenkins.plugins.compressionaware.engine.send;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.FilterOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The OS refuses threads, for example under a container's limit of processes. */
@Timeout(60)
class RefusedThreadTest {
    private static final String REFUSAL = "unable to create native thread";

    @TempDir
    private Path folder;

    private final AtomicInteger threadsLeft = new AtomicInteger();

    private Thread limited(Runnable task) {
        if (threadsLeft.getAndDecrement() <= 0) {
            throw new OutOfMemoryError(REFUSAL);
        }
        return new Thread(task);
    }

    private Path stash() throws Exception {
        Files.writeString(folder.resolve("a"), "content");
        SendOptions options = new SendOptions(Codec.NONE, 0);
        return CapturedTransfer.store(folder, FileTrees.names(folder), options, folder.resolve("stash"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void refusedThreadStopsOtherServerThreads(int threads) throws Exception {
        Path stash = stash();
        threadsLeft.set(threads);
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(0, 10, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), this::limited);
        try (FrameFile file = FrameFile.open(stash)) {
            List<OutputStream> lanes = List.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
            OutOfMemoryError e = assertThrows(OutOfMemoryError.class, () -> {
                try (FrameFileServer server = new FrameFileServer(file, lanes, executor)) {
                    server.start(new CreditPipe(), entries -> {});
                }
            });
            assertEquals(REFUSAL, e.getMessage());
            await().until(() -> executor.getActiveCount() == 0);
        } finally {
            Threads.end(executor);
        }
    }

    /** CPU time is measured from 64 MiB on, which is optional. */
    @Test
    void transferSurvivesMissingCpuMeasurement() throws Exception {
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes(), task -> new Thread(task) {
            @Override
            public synchronized void start() {
                if (getName().endsWith("measure")) {
                    throw new OutOfMemoryError(REFUSAL);
                }
                super.start();
            }
        });
        SendOptions options = new SendOptions(Codec.NONE, 0);
        FrameSink sink = (frame, rawLength) -> {};
        try (BlockCompressor blocks =
                new BlockCompressor(options, new FixedPolicy(CodecLevel.UNCOMPRESSED), sink, threads, 0)) {
            for (long bytes = 0; bytes <= 80 << 20; bytes += options.blockSize()) {
                blocks.submit(blocks.newBlock(), options.blockSize(), "file", 0);
            }
        } catch (OutOfMemoryError e) { // rethrown unchanged, it would end all tests
            throw new AssertionError(e);
        } finally {
            Threads.joinTransfers();
        }
    }

    /** @param reversed whether one thread runs the newest task first, so that the failure cancels the lane's task before it starts */
    private static ExecutorService executor(boolean reversed) {
        if (!reversed) {
            return Executors.newCachedThreadPool();
        }
        ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingDeque<>() {
            @Override
            public boolean offer(Runnable task) {
                return offerFirst(task);
            }
        });
        executor.execute(() -> await().until(() -> executor.getQueue().size() == 2));
        return executor;
    }

    /** The lanes must close, because otherwise they would wait forever for requests, and the receiver for them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unreadableRangeRequestClosesLanes(boolean reversed) throws Exception {
        Path stash = stash();
        InputStream requests = new InputStream() {
            @Override
            public int read() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        CountDownLatch closed = new CountDownLatch(1);
        OutputStream lane = new FilterOutputStream(OutputStream.nullOutputStream()) {
            @Override
            public void close() {
                closed.countDown();
            }
        };
        ExecutorService executor = executor(reversed);
        try (FrameFile file = FrameFile.open(stash);
                FrameFileServer server = new FrameFileServer(file, List.of(lane), executor)) {
            server.start(requests, entries -> {});
            closed.await();
            assertFalse(server.isReading());
        } finally {
            Threads.end(executor);
        }
    }
}
