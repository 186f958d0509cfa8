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
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.TamperingProxy;
import io.jenkins.plugins.compressionaware.testing.TamperingProxy.Harm;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
        server.close();
        Threads.end(threads);
    }

    private static DirectLaneOffer offer(TamperingProxy meddler, String secret) {
        return Offers.of(secret, 3, false, PATIENT, Offers.url(meddler.port()));
    }

    private DirectLaneReport archive(TamperingProxy meddler) throws Exception {
        Path archive = tmp.resolve("archive");
        DirectLaneReport direct = Loopback.with(UNCOMPRESSED)
                .direct(receiver -> offer(meddler, server.open(receiver)))
                .through(LaneHook::afterProbe)
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
                FrameFileServer sender =
                        new FrameFileServer(file, List.of(LaneHook.afterProbe(stream.sink())), threads);
                FrameFileDownloader downloader = new FrameFileDownloader(file.selected(), file.blockSize())) {
            sender.start(rangeRequests, entries -> {});
            DirectLaneOffer offer = offer(meddler, server.open(file));
            DownloadReport fetched = downloader.fetch(target, List.of(stream), rangeRequests.sink(), offer, false, 0);
            assertEquals(FileTrees.describe(workspace), FileTrees.describe(target));
            return fetched.direct();
        }
    }

    private static void assertHarmless(Harm harm, TamperingProxy meddler, DirectLaneReport direct) {
        assertTrue(meddler.meddled() > 0 || harm == Harm.NONE, "no request passed the meddler");
        assertFalse(meddler.recording().contains(SECRET));
        boolean works = Set.of(Harm.NONE, Harm.REPEATS, Harm.REORDERS).contains(harm);
        assertEquals(works, direct.outcome() == DirectLaneReport.Outcome.WORKED, direct.toString());
    }

    @ParameterizedTest
    @EnumSource
    void archiveSurvivesTampering(Harm harm) throws Exception {
        try (TamperingProxy meddler = new TamperingProxy(server.port(), harm)) {
            assertHarmless(harm, meddler, archive(meddler));
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
