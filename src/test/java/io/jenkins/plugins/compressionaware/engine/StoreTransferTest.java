package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.engine.packed.PackedEnd;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreLimits;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files survive the way into an object of a store and out of it. */
@Timeout(60)
class StoreTransferTest {
    private static final int BLOCK = 64 * 1024;
    private static final int FOOTER = 48;

    @TempDir
    private Path tmp;

    @AutoClose
    private final TestThreads threads = new TestThreads();

    @AutoClose
    private final FakeStore store = new FakeStore();

    private Path tree;

    StoreTransferTest() throws IOException {}

    @BeforeEach
    void prepare() throws IOException {
        tree = Files.createDirectory(tmp.resolve("tree"));
    }

    private static SendOptions options(Codec codec) {
        return new SendOptions(codec, codec.defaultLevel(), BLOCK, 1);
    }

    /** @param names names to accept; null for a stash */
    private FakeUpload upload(Collection<String> names) {
        return new FakeUpload(store, PartChecksum.CRC32C, listing -> {
            try {
                return new PackedEnd(listing, names, BLOCK, UnaryOperator.identity()).bytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private ObjectReader archive(SendOptions options) throws Exception {
        Map<String, String> files = FileTrees.names(tree);
        FakeUpload upload = upload(files.keySet());
        StoreSender.Stored stored = StoreSender.send(tree, files, options, upload, PartChecksum.CRC32C, true, null);
        assertEquals(files.size(), stored.report().figures().entries());
        ObjectReader object = upload.complete(stored.tags());
        assertEquals(object.length(), stored.report().figures().wireBytes());
        return object;
    }

    /** The object has the format of a packed archive on the controller, to the byte. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "ZSTD"})
    void objectIsPackedArchive(Codec codec) throws Exception {
        RandomTree.create(tree, 7);
        archive(options(codec));
        Packed.archive(tree, FileTrees.names(tree), tmp.resolve("archive"), codec);
        byte[] file = Files.readAllBytes(tmp.resolve("archive/packed-artifacts/1.tar.zst"));
        assertArrayEquals(file, store.object(FakeUpload.PATH));
    }

    @Test
    void filesAreReadByName() throws Exception {
        RandomTree.create(tree, 8);
        FileTrees.noise(tree.resolve("large"), 20_000_000);
        ObjectReader object = archive(options(Codec.ZSTD));
        assertTrue(store.requests.get() >= 3, "it is stored in parts");
        PackedFile file = new PackedFile("x", "id", () -> new StoredObject("x", object));
        Map<String, byte[]> contents = new TreeMap<>();
        TreeSet<String> names = new TreeSet<>();
        TreeSet<TarEntry> entries = new TreeSet<>((a, b) -> a.name().compareTo(b.name()));
        file.visit("", entry -> {
            entries.add(entry);
            return "";
        });
        for (TarEntry entry : entries) {
            names.add(entry.name());
            if (entry.type() == TarEntry.FILE) {
                try (InputStream in = file.open(entry)) {
                    contents.put(entry.name(), in.readAllBytes());
                }
            }
        }
        assertEquals(new TreeSet<>(FileTrees.names(tree).keySet()), names);
        for (Map.Entry<String, byte[]> content : contents.entrySet()) {
            assertArrayEquals(Files.readAllBytes(tree.resolve(content.getKey())), content.getValue(), content.getKey());
        }
    }

    @Test
    void stashIsRestoredByRanges() throws Exception {
        RandomTree.create(tree, 9);
        FileTrees.noise(tree.resolve("large"), 20_000_000);
        ObjectReader object = stash();
        store.fail(request -> request.number() % 3 == 0 ? FakeStore.HALF : null);
        Path target = tmp.resolve("target");
        SelectedFiles all = SelectedFiles.all(object.length() - FOOTER);
        try (FrameFileDownloader downloader = new FrameFileDownloader(all, BLOCK)) {
            downloader.fetch(new Workspace(target, true), object::open, object::waitsForController, 4);
        }
        assertEquals(FileTrees.describe(tree), FileTrees.describe(target));
    }

    /** Each of the small files takes two requests at most, and some of these are repeated. */
    @Test
    void someFilesAreReadByRanges() throws Exception {
        int count = 10;
        for (int i = 0; i < count; i++) {
            FileTrees.write(tree, "text" + i, "content " + i);
            FileTrees.noise(tree.resolve("text" + i + ".noise"), 1_000_000 + i);
        }
        ObjectReader object = archive(options(Codec.ZSTD));
        PackedFile file = new PackedFile("x", "some", () -> new StoredObject("x", object));
        List<TarEntry> wanted = new ArrayList<>();
        file.visit("", entry -> {
            if (!entry.name().endsWith("noise")) {
                wanted.add(entry);
            }
            return "";
        });
        wanted.sort(Comparator.comparingLong(TarEntry::position));
        SelectedFiles selected = file.select(wanted);
        assertEquals(count, selected.runs());
        store.fail(request -> request.number() % 7 == 0 ? FakeStore.HALF : null);
        int before = store.requests.get();
        Path target = tmp.resolve("target");
        try (FrameFileDownloader downloader = new FrameFileDownloader(selected, BLOCK)) {
            downloader.fetch(new Workspace(target, true), object::open, object::waitsForController, 4);
        }
        assertEquals(Optional.empty(), FileTrees.difference(tree, target, selected.names()));
        int requests = store.requests.get() - before;
        assertTrue(requests >= count && requests <= 3 * count, requests + " requests");
    }

    private ObjectReader stash() throws Exception {
        FakeUpload upload = upload(null);
        StoreSender.Stored stored = StoreSender.send(
                tree, FileTrees.names(tree), options(Codec.ZSTD), upload, PartChecksum.CRC32C, false, null);
        return upload.complete(stored.tags());
    }

    /** A request to the store ends by itself. */
    @Test
    void agentWaitsForTheControllerOnlyForSignatures() throws Exception {
        FileTrees.write(tree, "a", "x");
        long length = stash().length();
        store.fail(request -> FakeStore.SILENT);
        CompletableFuture<SignedRequest> signature = new CompletableFuture<>();
        StoreLimits once = new StoreLimits(10_000, 1, 1, System::nanoTime);
        ObjectReader object = new ObjectReader(signature::join, length, "tag", once);
        try (FrameFileDownloader downloader = new FrameFileDownloader(SelectedFiles.all(length - FOOTER), BLOCK)) {
            Workspace files = new Workspace(tmp.resolve("target"), true);
            Future<?> fetching =
                    threads.startBlocking(() -> downloader.fetch(files, object::open, object::waitsForController, 1));
            while (!object.waitsForController() || downloader.state()[0] != AgentEnd.WAITS) {
                Thread.sleep(1);
            }
            int before = store.requests.get();
            signature.complete(new SignedRequest(store.sign("GET", FakeUpload.PATH, Map.of(), Duration.ofMinutes(1))));
            while (store.requests.get() == before) {
                Thread.sleep(1);
            }
            assertEquals(AgentEnd.WAITS_FOR_STORE, downloader.state()[0]);
            store.close();
            assertThrows(Exception.class, fetching::get);
        }
    }

    @Test
    void agentWaitsForTheSignatureOfALargeFile() throws Exception {
        FileTrees.noise(tree.resolve("noise"), 64 << 20);
        CompletableFuture<String> key = new CompletableFuture<>();
        StoreUpload upload = new StoreUpload() {
            @Override
            public SignedRequest[] sign(ObjectPart[] parts) throws IOException {
                throw new IOException("no signature");
            }

            @Override
            public String begin(String name) {
                return key.join();
            }
        };
        try (AgentEnd end = AgentEnd.begin(43)) {
            Future<?> sending = threads.startBlocking(() -> StoreSender.send(
                    tree, FileTrees.names(tree), options(Codec.NONE), upload, PartChecksum.CRC32C, true, end));
            try {
                while (AgentEnd.stateOf(43)[0] != AgentEnd.WAITS) {
                    Thread.sleep(1);
                }
            } finally {
                key.complete("key");
            }
            assertThrows(Exception.class, sending::get);
        }
    }

    /** The tar of a hostile agent may have links that the controller's index does not have. */
    @Test
    void linksAreRefused() throws Exception {
        FileTrees.write(tree, "a", "x");
        Files.createSymbolicLink(tree.resolve("b"), Path.of("a"));
        ObjectReader object = stash();
        Path target = tmp.resolve("target");
        SelectedFiles all = SelectedFiles.all(object.length() - FOOTER);
        try (FrameFileDownloader downloader = new FrameFileDownloader(all, BLOCK)) {
            Workspace files = new Workspace(target, true);
            files.refuseLinks();
            IOException failure = assertThrows(
                    IOException.class, () -> downloader.fetch(files, object::open, object::waitsForController, 4));
            assertTrue(failure.getMessage().startsWith("Refused b: it is a symbolic link"), failure.getMessage());
        }
        assertFalse(Files.exists(target.resolve("b"), LinkOption.NOFOLLOW_LINKS));
    }

    /** Auto knows the codecs of the link to the store. */
    @Test
    void autoCompressesText() throws Exception {
        FileTrees.write(tree, "a.log", "one line of a log\n".repeat(2_000_000));
        archive(new SendOptions(new CompressionMode.Auto(1, 9, true, false), BLOCK, 2, Checksum.CRC32C));
        assertTrue(store.object(FakeUpload.PATH).length < 9_000_000);
    }

    @Test
    void missingFileIsNamed() {
        IOException failure = assertThrows(
                IOException.class,
                () -> StoreSender.send(
                        tree, Map.of("a", "a"), options(Codec.NONE), upload(null), PartChecksum.CRC32C, true, null));
        assertEquals("Cannot archive a: there is no such file", failure.getMessage());
        assertNull(store.object(FakeUpload.PATH));
    }

    @Test
    void cancelledTransferEnds() throws Exception {
        FileTrees.noise(tree.resolve("large"), 60_000_000);
        store.fail(request -> FakeStore.SILENT);
        try (AgentEnd end = AgentEnd.begin(42)) {
            Future<?> sending = threads.startBlocking(() -> StoreSender.send(
                    tree, FileTrees.names(tree), options(Codec.NONE), upload(null), PartChecksum.CRC32C, true, end));
            while (AgentEnd.stateOf(42)[0] != AgentEnd.WAITS_FOR_STORE || AgentEnd.stateOf(42)[1] == 0) {
                Thread.sleep(1);
            }
            AgentEnd.cancel(42);
            assertThrows(Exception.class, sending::get);
        }
        store.close();
    }
}
