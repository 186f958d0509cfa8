package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files survive the round trip into a frame file and, by range requests, out of it. */
class FrameFileTransferTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    private Action whenOpen = () -> {};

    private Path tree;
    private Path target;

    @BeforeEach
    void prepare() throws IOException {
        tree = Files.createDirectory(folder.resolve("tree"));
        target = folder.resolve("target");
    }

    private interface Action {
        void run() throws Exception;
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "ZSTD"})
    void framesOfEachCodecAreRestored(Codec codec) throws Exception {
        RandomTree.create(tree, 7);
        Path file = store(codec);
        DownloadReport fetched = fetch(file, 1);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
        assertEquals(FileTrees.names(tree).size(), fetched.received().figures().entries());
    }

    @Test
    void severalLanesRestoreManyRanges() throws Exception {
        FileTrees.noise(tree.resolve("a"), 9_000_001);
        FileTrees.noise(tree.resolve("b"), 12_000_000);
        fetch(store(Codec.NONE), 4);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
    }

    /** Blocks decoded ahead, plus the start of the next block, exceed the window of a lane. */
    @Test
    void restoresBlocksThatExceedLaneWindow() throws Exception {
        FileTrees.noise(tree.resolve("large"), 20_000_000);
        SendOptions options = new SendOptions(Codec.NONE, 0, 4 << 20, 2);
        Path file = CapturedTransfer.store(tree, FileTrees.names(tree), options, folder.resolve("x.tar.zst"));
        try (FrameFile frames = FrameFile.open(file);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(frames, threads)) {
            assertTrue(tar.readAllBytes().length > 20_000_000);
        }
        fetch(file, 1);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
    }

    /** Another branch creates a stash of the same name, or the build ends. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void openFileSurvivesReplacementAndRemoval(boolean replaced) throws Exception {
        FileTrees.noise(tree.resolve("a"), 9_000_001);
        Path file = store(Codec.NONE);
        Map<String, String> before = FileTrees.describe(tree);
        whenOpen = () -> {
            Files.writeString(tree.resolve("a"), "another");
            if (replaced) {
                assertEquals(file, store(Codec.ZSTD));
            } else {
                Files.delete(file);
            }
        };
        fetch(file, 2);
        assertEquals(before, FileTrees.describe(target));
    }

    /** Damage either does not affect the unpacked files, or fails the transfer in time. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "ZSTD"})
    @Timeout(60)
    void damagedFileIsDetectedOrHarmless(Codec codec) throws Exception {
        FileTrees.noise(tree.resolve("a"), 300_000);
        Files.writeString(tree.resolve("b"), "text ".repeat(100));
        Path file = store(codec);
        byte[] bytes = Files.readAllBytes(file);
        Files.createDirectory(target);
        Files.writeString(target.resolve("a"), "old");
        Map<String, String> whole = FileTrees.describe(tree);
        Set<Integer> places = new TreeSet<>();
        Random random = new Random(1);
        for (int i = 0; i < 60; i++) {
            // the first header, the index and the footer, and random places
            places.add(i);
            places.add(bytes.length - 1 - i * 2);
            places.add(random.nextInt(bytes.length));
        }
        int harmless = 0;
        for (int place : places) {
            byte[] damaged = bytes.clone();
            damaged[place] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, damaged);
            try {
                fetch(file, 1);
                assertEquals(whole, FileTrees.describe(target), "byte " + place);
                harmless++;
            } catch (IOException e) {
                Map<String, String> there = FileTrees.describe(target);
                assertTrue(there.containsKey("a"), "byte " + place);
                assertEquals(whole.get("b"), there.getOrDefault("b", whole.get("b")), "byte " + place);
            }
            Files.deleteIfExists(target.resolve("b"));
            Files.writeString(target.resolve("a"), "old");
        }
        assertTrue(harmless < places.size() / 4, harmless + " of " + places.size());
    }

    @Test
    void errorNamesConflictingFolder() throws Exception {
        Files.writeString(tree.resolve("a"), "new");
        Files.createDirectory(tree.resolve("b"));
        Files.writeString(tree.resolve("b/c"), "new");
        Path file = store(Codec.ZSTD);
        Files.createDirectory(target);
        Files.writeString(target.resolve("a"), "old");
        Files.createDirectories(target.resolve("b/c/d"));
        IOException e = assertThrows(IOException.class, () -> fetch(file, 1));
        assertEquals(
                "Refused b/c: b/c is a folder in the way of a file. Missing or incomplete from b/c on. Entries"
                        + " written: 1",
                e.getMessage().replace('\\', '/'));
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_FOUND", "DIES_HALFWAY", "FALLS_SILENT_HALFWAY"})
    void streamReplacesDirectLaneThatFailsMidway(FaultyHttpProxy.Fault fault) throws Exception {
        FileTrees.noise(tree.resolve("a"), 40_000_001);
        Path file = store(Codec.NONE);
        try (EndpointServer server = new EndpointServer();
                FaultyHttpProxy proxy = new FaultyHttpProxy(server.port(), body -> body > 6 ? fault : null)) {
            DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(5_000, 5_000);
            DownloadReport fetched = fetch(
                    file,
                    1,
                    frames -> Offers.of(server.open(frames), 3, false, limits, Offers.url(proxy.port())),
                    // slow until the direct lane has failed
                    () -> proxy.bodies() > 0 ? 0 : 50);
            assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
            assertTrue(proxy.bodies() > 0, "the direct lane was not used");
            // half of a range counts, so a connection that breaks or falls silent then is replaced as long as it
            // delivers
            boolean replaced = fault != FaultyHttpProxy.Fault.NOT_FOUND;
            assertTrue(replaced || fetched.direct().failed(), fetched.direct().toString());
        }
    }

    /** The streams finish minutes before the requests would fail. */
    @Test
    @Timeout(100)
    void streamsReplaceRequestsWithoutAnswer() throws Exception {
        FileTrees.noise(tree.resolve("a"), 9_000_000);
        Path file = store(Codec.NONE);
        try (EndpointServer server = new EndpointServer();
                FaultyHttpProxy proxy = new FaultyHttpProxy(server.port(), FaultyHttpProxy.Fault.UNANSWERED)) {
            DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(200, 600_000);
            DownloadReport fetched = fetch(
                    file,
                    1,
                    frames -> Offers.of(server.open(frames), 3, false, limits, Offers.url(proxy.port())),
                    () -> 20);
            assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
            assertTrue(
                    fetched.direct().problem().contains("no answer within"),
                    fetched.direct().toString());
        }
    }

    private Path store(Codec codec) throws Exception {
        SendOptions options = new SendOptions(codec, codec.defaultLevel());
        return CapturedTransfer.store(tree, FileTrees.names(tree), options, folder.resolve("x.tar.zst"));
    }

    private DownloadReport fetch(Path file, int lanes) throws Exception {
        return fetch(file, lanes, frames -> null, () -> 0);
    }

    /** @param millis duration of each write of a stream */
    private DownloadReport fetch(Path file, int lanes, Function<FrameFile, DirectLaneOffer> offer, LongSupplier millis)
            throws Exception {
        List<CreditPipe> ins = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            CreditPipe pipe = new CreditPipe();
            ins.add(pipe);
            outs.add(new FilterOutputStream(pipe.sink()) {
                @Override
                public void write(byte[] bytes) throws IOException {
                    try {
                        TimeUnit.MILLISECONDS.sleep(millis.getAsLong());
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    out.write(bytes);
                }
            });
        }
        try (FrameFile frames = FrameFile.open(file)) {
            whenOpen.run();
            return fetch(frames, ins, outs, offer.apply(frames));
        }
    }

    private DownloadReport fetch(FrameFile frames, List<CreditPipe> ins, List<OutputStream> outs, DirectLaneOffer offer)
            throws Exception {
        try (CreditPipe requests = new CreditPipe();
                FrameFileServer frameServer = new FrameFileServer(frames, outs, threads);
                FrameFileDownloader downloader = new FrameFileDownloader(frames.selected(), frames.blockSize())) {
            frameServer.start(requests, entries -> {});
            return downloader.fetch(target, ins, requests.sink(), offer, false, 0);
        }
    }
}
