package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Outcome;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frame files are downloaded while direct lanes fail and builds are aborted; each file arrives completely or not at all. */
class FrameFileDownloaderStressTest {
    private static final int ROUNDS = 30;

    private static final List<FaultyHttpProxy.Fault> FAULTS = List.of(
            FaultyHttpProxy.Fault.RECEIPT_LOST,
            FaultyHttpProxy.Fault.NOT_FOUND,
            FaultyHttpProxy.Fault.OK_OF_SOMETHING_ELSE,
            FaultyHttpProxy.Fault.DIES_HALFWAY,
            FaultyHttpProxy.Fault.LATE);

    /** Milliseconds in which most downloads complete. */
    private static final int MAX_ABORT_MILLIS = 200;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Random random = new Random(7);
    private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

    @TempDir
    private Path folder;

    private Map<String, String> tree;
    private final EndpointServer server = new EndpointServer();
    private final FaultyHttpProxy proxy = new FaultyHttpProxy(server.port(), this::fault);

    FrameFileDownloaderStressTest() throws IOException {}

    @BeforeEach
    void store() throws Exception {
        Path source = Files.createDirectory(folder.resolve("source"));
        for (int i = 0; i < 60; i++) {
            byte[] bytes = new byte[random.nextInt(400_000)];
            if (i % 2 == 0) {
                random.nextBytes(bytes);
            }
            Files.write(source.resolve("f" + i), bytes);
        }
        tree = FileTrees.describe(source);
        CapturedTransfer.store(source, FileTrees.names(source), new SendOptions(Codec.ZSTD, 1), file());
    }

    /** Fails one request in four. */
    private FaultyHttpProxy.Fault fault(int body) {
        synchronized (random) {
            int which = body == 0 ? FAULTS.size() : random.nextInt(20);
            return which < FAULTS.size() ? FAULTS.get(which) : null;
        }
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
        Threads.end(threads);
    }

    private Path file() {
        return folder.resolve("frames");
    }

    @Test
    void filesArriveCompletelyOrNotAtAll() throws Exception {
        Set<Outcome> outcomes = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            outcomes.add(round(round));
        }
        assertTrue(outcomes.contains(Outcome.WHOLE), outcomes.toString());
        assertTrue(outcomes.contains(Outcome.INTERRUPTED), outcomes.toString());
        Threads.joinTransfers();
        assertEquals(0, HeapBudget.ofThisJvm().inUse());
    }

    private Outcome round(int round) throws Exception {
        Path target = Files.createDirectory(folder.resolve("target" + round));
        AtomicReference<Outcome> outcome = new AtomicReference<>();
        Thread build = new Thread(() -> outcome.set(Outcome.of(() -> fetch(target), unexpected)));
        build.start();
        if (random.nextInt(3) == 0) {
            build.join(1 + random.nextInt(MAX_ABORT_MILLIS));
            build.interrupt();
        }
        build.join(60_000);
        assertFalse(build.isAlive(), "round " + round);
        if (unexpected.get() != null) {
            fail("round " + round, unexpected.get());
        }
        Map<String, String> there = FileTrees.describe(target);
        assertTrue(tree.entrySet().containsAll(there.entrySet()), "round " + round + outcome);
        assertTrue(outcome.get() != Outcome.WHOLE || there.size() == tree.size(), "round " + round);
        return outcome.get();
    }

    private void fetch(Path target) throws IOException, InterruptedException {
        CreditPipe lane = new CreditPipe();
        List<OutputStream> outs = List.of(lane.sink());
        try (FrameFile frames = FrameFile.open(file());
                CreditPipe requests = new CreditPipe();
                FrameFileServer frameServer = new FrameFileServer(frames, outs, threads);
                FrameFileDownloader downloader = new FrameFileDownloader(frames.selected(), frames.blockSize())) {
            frameServer.start(requests, entries -> {});
            DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(5_000, 1_000);
            DirectLaneOffer offer = Offers.of(server.open(frames), 3, false, limits, Offers.url(proxy.port()));
            downloader.fetch(target, List.of(lane), requests.sink(), offer, false, 0);
        }
    }
}
