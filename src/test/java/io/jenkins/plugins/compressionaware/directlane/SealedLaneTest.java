package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.TamperingProxy;
import io.jenkins.plugins.compressionaware.testing.TamperingProxy.Harm;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An attacker on the network reads and changes http requests. No content is readable, no change is accepted, and the transfer continues over the channel. */
@Timeout(60)
class SealedLaneTest {
    private static final SendOptions UNCOMPRESSED = new SendOptions(Codec.NONE, 0);
    private static final String SECRET = "text that must be private";
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

    private DirectLaneOffer offer(TamperingProxy meddler) {
        String url = "http://127.0.0.1:" + meddler.port() + "/";
        return new DirectLaneOffer(
                new ArrayList<>(List.of(url)), transfer.secret(), 3, false, DirectLaneOffer.MAX_BODY, PATIENT);
    }

    private static boolean probing(Thread thread) {
        return thread.getName().endsWith("direct probe");
    }

    /** Blocks the stream after 6 MiB until the probe is answered. */
    private static OutputStream untilProbed(OutputStream stream) {
        return new LaneHook(stream, (write, length) -> {
            while (write == 3 * 24 && Threads.ofTransfers().stream().anyMatch(SealedLaneTest::probing)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return true;
        });
    }

    private DirectLaneReport archive(TamperingProxy meddler) throws Exception {
        Path archive = tmp.resolve("archive");
        DirectLaneReport direct = Loopback.with(UNCOMPRESSED)
                .direct(receiver -> {
                    transfer = DirectLaneSessions.ALL.openUpload(
                            receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS);
                    return offer(meddler);
                })
                .through(SealedLaneTest::untilProbed)
                .archive(workspace, FileTrees.names(workspace), archive)
                .sent()
                .direct();
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return direct;
    }

    private DirectLaneReport unstash(TamperingProxy meddler) throws Exception {
        Path stash = CapturedTransfer.store(workspace, FileTrees.names(workspace), UNCOMPRESSED, tmp.resolve("stash"));
        Path target = tmp.resolve("target");
        try (FrameFile file = FrameFile.open(stash);
                CreditPipe stream = new CreditPipe();
                CreditPipe rangeRequests = new CreditPipe();
                FrameFileServer sender = new FrameFileServer(file, List.of(untilProbed(stream.sink())), threads);
                FrameFileDownloader downloader = new FrameFileDownloader(file.wireBytes(), file.blockSize())) {
            sender.start(rangeRequests);
            transfer = DirectLaneSessions.ALL.openDownload(file, taken -> {}, EndpointServer.TERMS);
            DownloadReport fetched =
                    downloader.fetch(target, List.of(stream), rangeRequests.sink(), offer(meddler), false);
            assertEquals(FileTrees.describe(workspace), FileTrees.describe(target));
            return fetched.direct();
        }
    }

    private static void assertHarmless(Harm harm, TamperingProxy meddler, DirectLaneReport direct) {
        assertTrue(meddler.meddled() > 0 || harm == Harm.NONE, "no request passed the meddler");
        assertFalse(meddler.recording().contains(SECRET));
        boolean works = Set.of(Harm.NONE, Harm.REPEATS, Harm.REORDERS, Harm.LOSES_AN_ANSWER)
                .contains(harm);
        // a cut connection is replaced, so the transfer may end before the replacement is cut, too
        if (harm != Harm.CUTS) {
            assertEquals(works, direct.outcome() == DirectLaneReport.Outcome.WORKED, direct.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void archiveSurvivesTampering(Harm harm) throws Exception {
        try (TamperingProxy meddler = new TamperingProxy(server.port(), harm)) {
            DirectLaneReport direct = archive(meddler);
            assertHarmless(harm, meddler, direct);
            if (harm == Harm.CUTS) { // the half of an answer that arrives in an unstash counts
                assertTrue(direct.wireBytes() <= TamperingProxy.PASSED * DirectLaneOffer.MAX_BODY, direct.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void unstashSurvivesTampering(Harm harm) throws Exception {
        try (TamperingProxy meddler = new TamperingProxy(server.port(), harm)) {
            assertHarmless(harm, meddler, unstash(meddler));
        }
    }
}
