package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLane;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.FullHeap;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Wherever the heap of the sending JVM is full for a moment, all frames arrive, or the transfer fails at once and names the reason. */
class FullHeapWhileSendingTest {
    /** The classes that change the state of a transfer. Elsewhere, an error ends the request or the thread, as here in their calls. */
    private static final Class<?>[] STRIKES = {
        DirectLane.class,
        DirectLaneGroup.class,
        HttpLaneConnection.class,
        FrameDispatcher.class,
        FramePicker.class,
        DirectRequests.class,
        FrameSender.class,
        DirectUploadLane.class,
        StreamLane.class,
        EncodedFrame.class,
        CreditGate.class,
        FirstFailure.class,
        Tasks.class,
        TransferThreads.class,
        ThreadCpuTimes.class,
        UninterruptedWrites.class
    };

    @Test
    void directLanesMayFail() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Optional.class, STRIKES));
    }

    @Test
    void directLanesAreRequired() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Required.class, STRIKES));
    }

    @Test
    void serverOfRangesStopsItsThreads() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Server.class, FrameFileServer.class));
    }

    public static final class Server implements Callable<String> {
        @Override
        public String call() throws Exception {
            ThreadPoolExecutor executor = new ThreadPoolExecutor(
                    0, 10, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), task -> new Thread(task, "server"));
            Path folder = Files.createTempDirectory("server");
            List<OutputStream> lanes = List.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
            try (FrameFile file = FrameFile.open(stash(folder));
                    FrameFileServer server = new FrameFileServer(file, lanes, executor)) {
                server.start(new CreditPipe(), entries -> {});
            } catch (OutOfMemoryError e) {
                // the transfer fails
            }
            try {
                // the number of active threads can be 0 before they begin
                executor.shutdown();
                return executor.awaitTermination(5, TimeUnit.SECONDS) ? null : "threads have not ended";
            } finally {
                executor.shutdownNow();
                FileTrees.delete(folder);
            }
        }

        private static Path stash(Path folder) throws Exception {
            Path tree = Files.createDirectory(folder.resolve("tree"));
            Files.writeString(tree.resolve("file"), "content");
            SendOptions options = new SendOptions(Codec.NONE, 0);
            return CapturedTransfer.store(tree, FileTrees.names(tree), options, folder.resolve("stash"));
        }
    }

    public static final class Optional implements Callable<String> {
        @Override
        public String call() throws Exception {
            return send(false);
        }
    }

    public static final class Required implements Callable<String> {
        @Override
        public String call() throws Exception {
            return send(true);
        }
    }

    private static String send(boolean required) throws Exception {
        try (FrameCounter receiver = new FrameCounter()) {
            if (!required) {
                receiver.proxy.become(body -> body == 2
                        ? FaultyHttpProxy.Fault.DIES_HALFWAY
                        : body == 4 ? FaultyHttpProxy.Fault.BAD_GATEWAY : null);
            }
            String problem = send(receiver, required);
            Threads.joinTransfers();
            return problem;
        } catch (OutOfMemoryError e) { // the error can also strike the receiver, which is opened and closed here
            return null;
        }
    }

    private static String send(FrameCounter receiver, boolean required) {
        CompressionPolicy policy = new FixedPolicy(CodecLevel.UNCOMPRESSED);
        try (FrameSender sender = new FrameSender(
                receiver.target(receiver.offer(required)),
                4,
                policy,
                new TransferThreads(new ThreadCpuTimes()),
                System::nanoTime)) {
            FrameCounter.send(sender);
            return receiver.missing();
        } catch (Exception | OutOfMemoryError e) {
            return e.toString().contains("emory") ? null : "fails with " + e;
        }
    }
}
