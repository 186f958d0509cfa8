package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFileTest.BLOCK;
import static io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFileTest.all;
import static io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFileTest.entries;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import io.jenkins.plugins.compressionaware.testing.BoundedHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Frames of a fetch are built ahead on a slow disk, within limits that all transfers share. */
@Timeout(60)
class FramesAheadTest {
    @TempDir
    private Path tmp;

    private Path tree;

    @BeforeEach
    void prepare() throws IOException {
        tree = Files.createDirectory(tmp.toRealPath().resolve("tree"));
    }

    private VirtualFrameFile frames() throws IOException {
        return new VirtualFrameFile(
                new SeekableTar(tree, entries(tree, false), false), BLOCK, Checksum.CRC32C, DiskHelpers.NONE);
    }

    /** Returns a virtual frame file that considers the disk slow. */
    private VirtualFrameFile onSlowDisk(Executor executor, DiskHelpers.HeapQuota heap) throws IOException {
        return new VirtualFrameFile(
                new SeekableTar(tree, entries(tree, false), false),
                BLOCK,
                Checksum.CRC32C,
                0,
                new DiskHelpers(executor, heap));
    }

    private final AtomicInteger ahead = new AtomicInteger();
    private final Executor counting = task -> {
        ahead.incrementAndGet();
        task.run();
    };

    private byte[] manyFiles() throws IOException {
        for (int i = 0; i < 80; i++) {
            Files.write(tree.resolve("file-" + i), new byte[BLOCK]);
        }
        try (VirtualFrameFile frames = frames()) {
            return all(frames);
        }
    }

    @Test
    void buildsFramesAheadOnSlowDisk() throws Exception {
        byte[] expected = manyFiles();
        try (VirtualFrameFile frames = onSlowDisk(counting, new BoundedHeap(100 * BLOCK))) {
            assertArrayEquals(expected, all(frames));
        }
        assertTrue(ahead.get() > 60, ahead + " frames");
        Executor none = task -> {
            throw new OutOfMemoryError("no thread");
        };
        try (VirtualFrameFile frames = onSlowDisk(none, new BoundedHeap(100 * BLOCK))) {
            assertArrayEquals(expected, all(frames));
        }
    }

    private byte[] packed(VirtualFrameFile frames) throws Exception {
        Path file = Files.createTempDirectory(tmp, "packed").resolve("file");
        try (frames;
                FrameFileWriter writer = new FrameFileWriter(file, tmp.resolve("partial"), BLOCK, Long.MAX_VALUE)) {
            FrameFileSink.store(frames, new SendOptions(Codec.GZIP, 1, BLOCK, 1), writer);
            writer.commit();
        }
        return Files.readAllBytes(file);
    }

    @Test
    void readsAheadForCompressionOnSlowDisk() throws Exception {
        manyFiles();
        byte[] packed = packed(onSlowDisk(counting, new BoundedHeap(100 * BLOCK)));
        assertArrayEquals(packed(frames()), packed);
        assertTrue(ahead.get() > 60, ahead + " frames");
    }

    @Test
    void heapLimitsFramesBuiltAhead() throws Exception {
        byte[] expected = manyFiles();
        List<Runnable> waiting = new ArrayList<>();
        List<VirtualFrameFile> all = new ArrayList<>();
        BoundedHeap heap = new BoundedHeap(21 * BLOCK);
        for (int i = 0; i < 5; i++) {
            VirtualFrameFile frames = onSlowDisk(waiting::add, heap);
            byte[] first = new byte[2 * BLOCK];
            frames.read(0, first, 0, first.length);
            all.add(frames);
        }
        assertTrue(waiting.size() > 5 && waiting.size() < 16, waiting.size() + " frames");
        waiting.forEach(Runnable::run);
        for (VirtualFrameFile frames : all) {
            assertArrayEquals(expected, all(frames));
        }
        assertTrue(heap.taken() > 0, heap.taken() + " bytes");
    }

    /** All transfers share the permits. */
    @Test
    void fullHeapReleasesPermits() throws Exception {
        manyFiles();
        BoundedHeap full = new BoundedHeap(Long.MAX_VALUE);
        for (int i = 0; i < 70; i++) {
            AtomicInteger tasks = new AtomicInteger();
            VirtualFrameFile frames = onSlowDisk(
                    task -> {
                        tasks.incrementAndGet();
                        throw new InternalError("Java heap space");
                    },
                    full);
            assertThrows(InternalError.class, () -> frames.read(0, new byte[2 * BLOCK], 0, 2 * BLOCK));
            assertEquals(1, tasks.get(), "transfer " + i);
        }
    }

    /** An executor may lose a task after accepting it. */
    @Test
    void lostTasksReleasePermits() throws Exception {
        byte[] expected = manyFiles();
        for (int i = 0; i < 10; i++) {
            AtomicInteger lost = new AtomicInteger();
            try (VirtualFrameFile frames =
                    onSlowDisk(task -> lost.incrementAndGet(), new BoundedHeap(Long.MAX_VALUE))) {
                byte[] first = new byte[2 * BLOCK];
                frames.read(0, first, 0, first.length);
                assertTrue(lost.get() > 8, lost + " tasks of transfer " + i);
                assertArrayEquals(expected, all(frames), "a reader builds frames whose task was lost");
            }
        }
    }

    @Test
    void threadLimitBoundsFramesBuiltAheadByAllTransfers() throws Exception {
        manyFiles();
        List<Runnable> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            onSlowDisk(waiting::add, new BoundedHeap(Long.MAX_VALUE)).read(0, new byte[2 * BLOCK], 0, 2 * BLOCK);
        }
        // a reader has built some of the frames itself, whose permits are free again
        long most =
                waiting.stream().filter(task -> !((Future<?>) task).isDone()).count();
        waiting.forEach(Runnable::run);
        assertTrue(most > 60 && most <= 64, most + " of " + waiting.size() + " frames");
    }
}
