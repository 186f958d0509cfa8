package io.jenkins.plugins.compressionaware.engine.send;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import java.io.EOFException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Serves files as the uncompressed frames of a frame file, without writing that file. Frames are built on demand, or ahead of time if the disk is slow.
 * A read fails if its file has changed.
 */
@Restricted(NoExternalUse.class)
public final class VirtualFrameFile implements FrameFile {
    /** Number of frames that are always cached, one for each possible reader, because a reader requests a frame in several parts. */
    private static final int CACHED_FRAMES = 8;

    /** Maximum number of frames built ahead. The same number of earlier frames may still be in use. */
    private static final int READ_AHEAD_FRAMES = 16;

    /** Nanoseconds to read a block, above which a disk is slow. */
    private static final long SLOW_FRAME_NANOS = 20_000_000;

    private final SeekableTar tar;
    private final int blockSize;
    private final Checksum checksum;
    private final DiskHelpers helpers;
    private final long slowNanos;
    private final int longestFrame;
    private final TarBlocks blocks;
    private final byte[] end;
    private final long wireBytes;

    /** Recently used frames. */
    @GuardedBy("frames")
    private final Map<Integer, Frame> frames = new LinkedHashMap<>(CACHED_FRAMES, 0.75f, true);

    /** Number of frames beyond {@link #CACHED_FRAMES} for which heap is reserved. */
    @GuardedBy("frames")
    private int extraFrames;

    private volatile boolean slow;
    private volatile IOException failure;

    /** @param helpers threads and heap for building frames ahead; the heap stays reserved */
    public VirtualFrameFile(SeekableTar tar, int blockSize, Checksum checksum, DiskHelpers helpers) {
        this(tar, blockSize, checksum, SLOW_FRAME_NANOS, helpers);
    }

    VirtualFrameFile(SeekableTar tar, int blockSize, Checksum checksum, long slowNanos, DiskHelpers helpers) {
        this.tar = tar;
        this.checksum = checksum.available();
        this.slowNanos = slowNanos;
        this.blockSize = blockSize;
        this.helpers = helpers;
        longestFrame = TarBlocks.frameLength(blockSize);
        blocks = new TarBlocks(tar, blockSize);
        try (BlockEncoder encoder = Codec.NONE.newEncoder(0)) {
            end = FrameCodec.endFrame(Codec.NONE, encoder, this.checksum, blocks.size());
        }
        wireBytes = blocks.framesEnd() + end.length;
    }

    /** Returns the bytes of heap that each instance needs even without building frames ahead. */
    public static long minHeap(int blockSize) {
        return (long) CACHED_FRAMES * TarBlocks.frameLength(blockSize);
    }

    /** A frame that a reader builds, or another thread ahead of the readers. */
    private final class Frame extends FutureTask<byte[]> {
        /** Whether the frame holds a permit of {@link JvmLimits#FRAMES_AHEAD}. */
        private final AtomicBoolean hasPermit = new AtomicBoolean();

        private volatile boolean started;

        Frame(int number) {
            super(() -> build(number));
        }

        @Override
        public void run() {
            started = true;
            super.run();
        }

        @Override
        protected void done() {
            releasePermit();
        }

        void releasePermit() {
            if (hasPermit.compareAndSet(true, false)) {
                JvmLimits.FRAMES_AHEAD.release();
            }
        }

        /** Releases the permit of a task that the executor may have lost. */
        void abandon() {
            if (!started) {
                releasePermit();
            }
        }
    }

    /** Returns the number of blocks, without the end frame. */
    int blocks() {
        return blocks.size();
    }

    int entries() {
        return tar.entries() - 1;
    }

    long contentBytes() {
        return IntStream.range(0, tar.entries()).mapToLong(tar::size).sum();
    }

    /** Returns the name of the file in which a block begins. */
    String name(int block) {
        return tar.name(blocks.get(block).entry());
    }

    /** Reads a block and returns its length, bytes. On a slow disk, the block is read from a frame built ahead. */
    int block(int number, byte[] target) throws IOException {
        TarBlocks.Block block = blocks.get(number);
        if (slow) {
            FrameCodec.decodeUncompressed(frame(number), target, block.length());
        } else {
            read(block, target, 0);
        }
        return block.length();
    }

    /** Reads the sample from a single file, because a whole frame may need a hundred files from a slow disk. */
    @Override
    public int sample(long from, byte[] target) throws IOException {
        TarBlocks.Block block = blocks.get(blocks.at(from));
        int length = Math.min(target.length, block.length());
        tar.undigested().read(block.entry(), block.offset(), target, 0, length);
        return length;
    }

    private void read(TarBlocks.Block block, byte[] target, int at) throws IOException {
        long start = System.nanoTime();
        try {
            tar.read(block.entry(), block.offset(), target, at, block.length());
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        slow = System.nanoTime() - start > slowNanos;
    }

    @Override
    public String name() {
        return "files";
    }

    @Override
    public long wireBytes() {
        return wireBytes;
    }

    @Override
    public long rawBytes() {
        return blocks.rawBytes();
    }

    @Override
    public int blockSize() {
        return blockSize;
    }

    @Override
    public Set<CodecLibrary> libraries() {
        return checksum.library() == null ? Set.of() : Set.of(checksum.library());
    }

    /** Returns blocks and bytes of all frames. */
    public List<CodecUsage> usages() {
        return List.of(new CodecUsage(new CodecLevel(Codec.NONE, 0), blocks.size(), rawBytes(), wireBytes, 0));
    }

    @Override
    @CheckForNull
    public IOException failure() {
        return failure;
    }

    @Override
    public void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length < 0 || length > wireBytes - from) {
            throw new EOFException("There are no " + length + " bytes at " + from);
        }
        int number = from >= wireBytes - end.length ? blocks.size() : blocks.at(from);
        for (int done = 0; done < length; number++) {
            byte[] frame = number < blocks.size() ? frame(number) : end;
            long start = number < blocks.size() ? blocks.get(number).position() : wireBytes - end.length;
            int skipped = (int) (from + done - start);
            int n = Math.min(length - done, frame.length - skipped);
            System.arraycopy(frame, skipped, target, offset + done, n);
            done += n;
        }
    }

    private byte[] frame(int number) throws IOException {
        Frame wanted;
        int last;
        synchronized (frames) {
            while (slow && extraFrames < 2 * READ_AHEAD_FRAMES && helpers.heap().tryReserve(longestFrame)) {
                extraFrames++;
            }
            wanted = task(number);
            last = slow ? Math.min(number + extraFrames / 2, blocks.size() - 1) : number;
        }
        for (int i = number + 1; i <= last; i++) {
            if (JvmLimits.FRAMES_AHEAD.tryAcquire()) {
                prefetch(i);
            }
        }
        wanted.run();
        try {
            return wanted.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while files were read");
        }
    }

    /** Builds a frame on another thread, unless it exists, and releases the caller's permit. */
    private void prefetch(int number) {
        Frame task = null;
        boolean begun = false;
        try {
            synchronized (frames) {
                if (!frames.containsKey(number)) {
                    task = task(number);
                    task.hasPermit.set(true);
                }
            }
            // if no thread is available, the reader that needs the frame builds it
            begun = task != null && Tasks.begin(helpers.executor(), task);
        } finally { // the heap may be full: nothing else would release the permit
            if (task == null) {
                JvmLimits.FRAMES_AHEAD.release();
            } else if (!begun) {
                task.releasePermit();
            }
        }
    }

    @GuardedBy("frames")
    private Frame task(int number) {
        Frame task = frames.computeIfAbsent(number, Frame::new);
        if (frames.size() > CACHED_FRAMES + extraFrames) {
            frames.remove(frames.keySet().iterator().next()).abandon();
        }
        return task;
    }

    private byte[] build(int number) throws IOException {
        TarBlocks.Block block = blocks.get(number);
        byte[] frame = new byte[TarBlocks.frameLength(block.length())];
        read(block, frame, frame.length - block.length());
        FrameCodec.encodeUncompressed(checksum, number, frame, block.length());
        return frame;
    }

    @Override
    public void close() {
        synchronized (frames) {
            frames.values().forEach(Frame::abandon);
            frames.clear();
        }
    }
}
