package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.Meddler;
import io.jenkins.plugins.compressionaware.testing.Meddler.Harm;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Somebody on the way of an http address reads and changes what they can: nothing is readable, nothing that they changed is accepted, and the transfer
 * goes on over the channel.
 */
@Timeout(60)
class SealedLaneTest {
    private static final SendOptions STORED = new SendOptions(Codec.NONE, 0);
    private static final String SECRET = "what nobody else may read";
    private static final DirectLaneOffer.Limits PATIENT = new DirectLaneOffer.Limits(30_000, 30_000);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    private Path tmp;

    private Path workspace;
    private EndpointServer server;
    private DirectLaneSessions.Session transfer;

    @BeforeEach
    void prepare() throws IOException {
        server = new EndpointServer();
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        try (Writer out = Files.newBufferedWriter(workspace.resolve("secrets"))) {
            for (int i = 0; i < 400_000; i++) {
                out.write(SECRET + " number " + i + ".................................\n");
            }
        }
    }

    @AfterEach
    void stop() {
        transfer.close();
        server.close();
        Threads.end(threads);
    }

    private DirectLaneOffer offer(Meddler meddler, boolean plain) {
        String url = "http://127.0.0.1:" + meddler.port() + "/";
        return new DirectLaneOffer(
                new ArrayList<>(List.of(url)), transfer.secret(), plain, 3, false, DirectLaneOffer.MAX_BODY, PATIENT);
    }

    private static boolean probing(Thread thread) {
        return thread.getName().endsWith("direct probe");
    }

    /** What the stream carries waits, after 6 MiB, for the answer to the probe. */
    private static OutputStream untilProbed(OutputStream stream) {
        return new LaneHook(stream, (write, length) -> {
            while (write == 3 * 24 && Threads.ofTransfers().stream().anyMatch(SealedLaneTest::probing)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return true;
        });
    }

    private DirectLaneReport archive(Meddler meddler, boolean plain) throws Exception {
        Path archive = tmp.resolve("archive");
        DirectLaneReport direct = Loopback.with(STORED)
                .direct(receiver -> {
                    transfer = DirectLaneSessions.ALL.openUpload(receiver.newDirectReceiver(), taken -> {}, 3);
                    return offer(meddler, plain);
                })
                .through(SealedLaneTest::untilProbed)
                .archive(workspace, FileTrees.names(workspace), archive)
                .sent()
                .direct();
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return direct;
    }

    private DirectLaneReport unstash(Meddler meddler) throws Exception {
        Path stash = CapturedTransfer.store(workspace, FileTrees.names(workspace), STORED, tmp.resolve("stash"));
        Path target = tmp.resolve("target");
        try (FrameFile file = FrameFile.open(stash);
                CreditPipe stream = new CreditPipe();
                CreditPipe orders = new CreditPipe();
                FrameFileServer sender =
                        new FrameFileServer(file, orders, List.of(untilProbed(stream.sink())), threads);
                FrameFileDownloader fetcher = new FrameFileDownloader(file.wireBytes(), file.blockSize())) {
            transfer = DirectLaneSessions.ALL.openDownload(file, taken -> {}, 3);
            DownloadReport fetched =
                    fetcher.fetch(target, List.of(stream), orders.sink(), offer(meddler, false), false);
            assertEquals(FileTrees.describe(workspace), FileTrees.describe(target));
            return fetched.direct();
        }
    }

    private static void assertHarmless(Harm harm, Meddler meddler, DirectLaneReport direct) {
        assertTrue(meddler.meddled() > 0 || harm == Harm.NONE, "nothing has passed there");
        assertFalse(meddler.recording().contains(SECRET));
        boolean works = harm == Harm.NONE || harm == Harm.REPEATS || harm == Harm.LOSES_AN_ANSWER;
        assertEquals(works, direct.outcome() == DirectLaneReport.Outcome.WORKED, direct.toString());
    }

    @ParameterizedTest
    @EnumSource
    void archived(Harm harm) throws Exception {
        try (Meddler meddler = new Meddler(server.port(), harm)) {
            assertHarmless(harm, meddler, archive(meddler, false));
        }
    }

    @ParameterizedTest
    @EnumSource
    void unstashed(Harm harm) throws Exception {
        try (Meddler meddler = new Meddler(server.port(), harm)) {
            assertHarmless(harm, meddler, unstash(meddler));
        }
    }

    /** What the other tests would find if bodies were as readable as they are here. */
    @Test
    void inANetworkThatIsTrustedBodiesAreReadable() throws Exception {
        try (Meddler meddler = new Meddler(server.port(), Harm.NONE)) {
            archive(meddler, true);
            assertTrue(meddler.recording().contains(SECRET));
        }
    }
}
