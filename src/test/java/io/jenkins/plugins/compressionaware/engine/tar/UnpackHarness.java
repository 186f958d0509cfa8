package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.testing.BoundedHeap;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Unpacks tars into a folder whose neighbour must not change, and compares the folder with a workspace. */
final class UnpackHarness {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "writer of a test");
        thread.setDaemon(true);
        return thread;
    });

    final Path folder;
    final Path neighbour;
    private final Path home;
    private final int writers;

    /** @param writers number of files to write in parallel */
    UnpackHarness(Path home, int writers) throws IOException {
        this.home = home;
        this.writers = writers;
        folder = Files.createDirectory(home.resolve("folder"));
        neighbour = Files.createDirectory(home.resolve("neighbour"));
        Files.writeString(neighbour.resolve("file"), "untouched");
    }

    TarUnpacker unpack(TarBytes tar, String... names) throws IOException {
        compareWithWorkspace(tar.bytes());
        return unpack(new ByteArrayInputStream(tar.bytes()), Set.of(names));
    }

    TarUnpacker unpack(InputStream tar, Set<String> names) throws IOException {
        return unpack(tar, Workspace.own(folder, new FileCreator(folder)), names);
    }

    /** @param names null for all */
    private TarUnpacker unpack(InputStream tar, Workspace target, Set<String> names) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(target, names, files(writers), EntryDecoder.NONE);
        try {
            unpacker.unpack(tar);
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker;
    }

    /** Returns writers with a fixed number of files in parallel. */
    static ParallelFileWriter files(int writers) {
        return new ParallelFileWriter(helpers(), always(writers));
    }

    static AdaptiveConcurrency always(int files) {
        return new AdaptiveConcurrency() {
            @Override
            int current() {
                return files;
            }
        };
    }

    static DiskHelpers helpers() {
        return new DiskHelpers(THREADS, new BoundedHeap(Long.MAX_VALUE));
    }

    /** Asserts that a tar is refused for this reason and leaves nothing outside the folder. */
    void refuse(TarBytes tar, String reason, String... names) throws IOException {
        assertFailsWith(reason, () -> unpack(tar, names));
        assertNeighbourUntouched();
    }

    /** Asserts that an endless tar is refused within the first MiB. */
    void refuseEndless(TarBytes start, byte rest, String reason) throws IOException {
        InputStream endless = new InputStream() {
            private final InputStream first = new ByteArrayInputStream(start.bytes());
            private long delivered;

            @Override
            public int read() throws IOException {
                int next = first.read();
                assertTrue(++delivered < 1 << 20, "reads without end");
                return next >= 0 ? next : rest;
            }
        };
        assertFailsWith(reason, () -> unpack(endless, Set.of("a")));
        assertNeighbourUntouched();
    }

    /** Asserts that an empty workspace refuses the tar or gets the files of a private folder, whether or not links are followed. */
    void compareWithWorkspace(byte[] tar) throws IOException {
        Path own = Files.createDirectory(home.resolve("own"));
        Path workspace = home.resolve("workspace");
        try {
            boolean succeeds = succeeds(tar, Workspace.own(own, new FileCreator(own)));
            for (boolean follows : new boolean[] {false, true}) {
                Files.createDirectory(workspace);
                boolean inPlace = succeeds(tar, new Workspace(workspace, new FileCreator(workspace), follows));
                if (succeeds && inPlace && home.getFileSystem() == FileSystems.getDefault()) {
                    assertEquals(FileTrees.describe(own), FileTrees.describe(workspace));
                }
                FileTrees.delete(workspace);
            }
        } finally {
            FileTrees.delete(own);
            FileTrees.delete(workspace);
            assertNeighbourUntouched();
        }
    }

    private boolean succeeds(byte[] tar, Workspace folder) {
        try {
            unpack(new ByteArrayInputStream(tar), folder, null);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    void assertNeighbourUntouched() throws IOException {
        try (Stream<Path> all = Files.list(home);
                Stream<Path> inNeighbour = Files.list(neighbour)) {
            assertEquals(2, all.count(), "nothing beside the folder");
            assertEquals(1, inNeighbour.count(), "nothing in its neighbour");
        }
        assertEquals("untouched", Files.readString(neighbour.resolve("file")));
    }
}
