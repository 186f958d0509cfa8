package io.jenkins.plugins.compressionaware.tar;

import static io.jenkins.plugins.compressionaware.testkit.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.remote.SmallTar;
import io.jenkins.plugins.compressionaware.testkit.BoundedHeap;
import io.jenkins.plugins.compressionaware.testkit.Trees;
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

/**
 * A folder to unpack into, with a neighbour that must not change. Whatever is unpacked there is given to {@link SmallTar}, too, which has to refuse it or to make
 * the same of it.
 */
final class Unpacking {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "writer of a test");
        thread.setDaemon(true);
        return thread;
    });

    final Path folder;
    final Path neighbour;
    private final Path home;
    private final int writers;

    /**
     * @param writers how many files to write at a time
     */
    Unpacking(Path home, int writers) throws IOException {
        this.home = home;
        this.writers = writers;
        folder = Files.createDirectory(home.resolve("folder"));
        neighbour = Files.createDirectory(home.resolve("neighbour"));
        Files.writeString(neighbour.resolve("file"), "untouched");
    }

    TarUnpacker unpack(TarBytes tar, String... names) throws IOException {
        compareReaders(tar.bytes());
        return unpack(new ByteArrayInputStream(tar.bytes()), Set.of(names));
    }

    TarUnpacker unpack(InputStream tar, Set<String> names) throws IOException {
        return unpack(tar, folder, names);
    }

    /**
     * @param names null for all
     */
    private TarUnpacker unpack(InputStream tar, Path target, Set<String> names) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(target, names, new FileWriter(target), files(writers));
        try {
            unpacker.unpack(tar);
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker;
    }

    /** That always work on so many at a time. */
    static Writers files(int writers) {
        return new Writers(helpers(), always(writers));
    }

    static Concurrency always(int files) {
        return new Concurrency() {
            @Override
            int now() {
                return files;
            }
        };
    }

    static Helpers helpers() {
        return new Helpers(THREADS, new BoundedHeap(Long.MAX_VALUE));
    }

    /** Unpacks what must be refused with these words, and leaves nothing outside the folder. */
    void refuse(TarBytes tar, String reason, String... names) throws IOException {
        assertFailsWith(reason, () -> unpack(tar, names));
        assertNeighbourUntouched();
    }

    /** Memory and time would end before the stream does. */
    void refuseEndless(TarBytes start, byte rest, String reason) throws IOException {
        InputStream endless = new InputStream() {
            private final InputStream first = new ByteArrayInputStream(start.bytes());
            private long delivered;

            @Override
            public int read() throws IOException {
                int next = first.read();
                assertTrue(++delivered < 1 << 20, "reads on and on");
                return next >= 0 ? next : rest;
            }
        };
        assertFailsWith(reason, () -> unpack(endless, Set.of("a")));
        assertNeighbourUntouched();
    }

    /** Neither knows what was asked for. */
    void compareReaders(byte[] tar) throws IOException {
        if (home.getFileSystem() != FileSystems.getDefault()) {
            return; // the small reader is for the disks of agents
        }
        Path small = Files.createDirectory(home.resolve("small"));
        Path other = Files.createDirectory(home.resolve("other"));
        try {
            if (isPlain(tar, small)) {
                unpack(new ByteArrayInputStream(tar), other, null);
                assertEquals(Trees.describe(other), Trees.describe(small));
            }
        } finally {
            Trees.delete(small);
            Trees.delete(other);
            assertNeighbourUntouched();
        }
    }

    private static boolean isPlain(byte[] tar, Path folder) {
        try {
            new SmallTar(new ByteArrayInputStream(tar), folder).unpack();
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
