package io.jenkins.plugins.compressionaware.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.delta.Shortener;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.tar.TarPacker;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The sending end of a transfer; also packs stored files. */
@Restricted(NoExternalUse.class)
public final class Sender {
    private Sender() {}

    /**
     * Sends files and returns when the last byte has been given to a lane. No stream is closed.
     *
     * @param files   names in the archive, mapped to paths below {@code base}
     * @param earlier what the receiver has of an earlier build, see {@link Shortener#of}; null if nothing
     * @throws IOException if a file cannot be read, with its name, or the other end is gone or has given up; no end frame is sent then
     */
    public static SendReport send(
            Path base, Map<String, String> files, SendOptions options, Route route, @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        ThreadTimes times = new ThreadTimes();
        TransferThreads threads = new TransferThreads(times);
        Policy policy = policy(options, route, threads);
        ExecutorService readers = threads.pool("read");
        try (FrameSender frames = new FrameSender(route, options.threads() + 2, policy, threads);
                BlockCompressor blocks = new BlockCompressor(options, policy, frames, threads)) {
            frames.start();
            TarPacker packer = new TarPacker(
                    new BlockSplitter(blocks, options.blockSize()),
                    readers,
                    Shortener.of(earlier));
            packer.pack(base, files);
            packer.close();
            blocks.finish();
            frames.finish();
            return new SendReport(
                    blocks.usages(),
                    policy.reason(),
                    policy.unusable(),
                    packer.entries(),
                    packer.contentBytes(),
                    frames.wireBytes(),
                    options.threads(),
                    blocks.readNanos(),
                    frames.writeNanos(),
                    frames.direct(),
                    times.cpuNanos());
        } finally {
            readers.shutdown();
        }
    }

    /**
     * Stores files of this machine as a receiver would, and closes the stored file. The caller commits it.
     *
     * @param options with one codec for all blocks
     * @throws IOException if a file cannot be read or written, with its name
     */
    public static SendReport store(Path base, Map<String, String> files, SendOptions options, StoredWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            TarPacker packer = new TarPacker(new BlockSplitter(blocks, options.blockSize()), readers, EntryEncoder.NONE);
            packer.pack(base, files);
            packer.close();
            return new Counted(packer.entries(), packer.contentBytes());
        });
    }

    /** As {@link #store(Path, Map, SendOptions, StoredWriter)}. */
    public static SendReport store(FilesAsFrames files, SendOptions options, StoredWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            for (int i = 0; i < files.blocks(); i++) {
                long start = System.nanoTime();
                byte[] block = blocks.newBlock();
                blocks.submit(block, files.block(i, block), files.name(i), System.nanoTime() - start);
            }
            return new Counted(files.entries(), files.contentBytes());
        });
    }

    /**
     * As {@link #store(Path, Map, SendOptions, StoredWriter)}, for files that are already in a tar.
     *
     * @param tar read to its end
     */
    public static SendReport store(InputStream tar, SendOptions options, StoredWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            BlockSplitter splitter = new BlockSplitter(blocks, options.blockSize());
            tar.transferTo(splitter);
            splitter.close();
            return new Counted(0, 0);
        });
    }

    /** Bytes of heap that storing fills: blocks and frames, for each thread and three more, which wait, are at work, or are kept for the next ones. */
    public static long heap(SendOptions options) {
        return 2L * (options.threads() + 3) * options.blockSize();
    }

    private record Counted(int entries, long contentBytes) {}

    private interface Blocks {
        Counted submitTo(BlockCompressor blocks, ExecutorService readers) throws IOException, InterruptedException;
    }

    private static SendReport store(SendOptions options, StoredWriter file, Blocks source)
            throws IOException, InterruptedException {
        ThreadTimes times = new ThreadTimes();
        TransferThreads threads = new TransferThreads(times);
        ExecutorService readers = threads.pool("read");
        Policy policy = new FixedPolicy((Compression.Fixed) options.compression());
        StoredFileSink frames = new StoredFileSink(file, options.threads() + 2);
        try (BlockCompressor blocks = new BlockCompressor(options, policy, frames, threads)) {
            Counted counted = source.submitTo(blocks, readers);
            blocks.finish();
            frames.finish();
            return new SendReport(
                    blocks.usages(),
                    null,
                    new ArrayList<>(),
                    counted.entries,
                    counted.contentBytes,
                    file.wireBytes(),
                    options.threads(),
                    blocks.readNanos(),
                    0,
                    null,
                    times.cpuNanos());
        } finally {
            readers.shutdown();
        }
    }

    private static Policy policy(SendOptions options, Route route, TransferThreads threads) {
        if (options.compression() instanceof Compression.Fixed fixed) {
            return new FixedPolicy(fixed);
        }
        return new AutoPolicy((Compression.Auto) options.compression(), options.threads(), route, threads);
    }
}
