package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Compresses files of this machine, the controller, into a frame file; agents do not load this class. */
@Restricted(NoExternalUse.class)
public final class FrameFileSink extends InOrderSink {
    private final FrameFileWriter file;

    private FrameFileSink(FrameFileWriter file, int capacity) {
        super(capacity);
        this.file = file;
    }

    /**
     * Compresses files of this machine into a frame file, and finishes it. The caller must commit it.
     *
     * @param options options with one codec for all blocks
     * @throws IOException with the name of the file, if a file cannot be read or written
     */
    public static SendReport store(Path base, Map<String, String> files, SendOptions options, FrameFileWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            TarPacker packer =
                    new TarPacker(new BlockSplitter(blocks, options.blockSize()), readers, EntryEncoder.NONE);
            packer.pack(base, files);
            packer.close();
            return new Counts(packer.entries(), packer.contentBytes());
        });
    }

    /** Compresses the blocks of a virtual frame file into a frame file, like {@link #store(Path, Map, SendOptions, FrameFileWriter)}. */
    public static SendReport store(VirtualFrameFile files, SendOptions options, FrameFileWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            for (int i = 0; i < files.blocks(); i++) {
                long start = System.nanoTime();
                byte[] block = blocks.newBlock();
                blocks.submit(block, files.block(i, block), files.name(i), System.nanoTime() - start);
            }
            return new Counts(files.entries(), files.contentBytes());
        });
    }

    /**
     * Compresses a tar into a frame file, like {@link #store(Path, Map, SendOptions, FrameFileWriter)}.
     *
     * @param tar read to its end
     */
    public static SendReport store(InputStream tar, SendOptions options, FrameFileWriter file)
            throws IOException, InterruptedException {
        return store(options, file, (blocks, readers) -> {
            BlockSplitter splitter = new BlockSplitter(blocks, options.blockSize());
            tar.transferTo(splitter);
            splitter.close();
            return new Counts(0, 0);
        });
    }

    /** Returns the bytes of heap that storing uses: one block and one frame for each thread, and three more of each that wait or are reused. */
    public static long heap(SendOptions options) {
        return 2L * (options.threads() + 3) * options.blockSize();
    }

    private record Counts(int entries, long contentBytes) {}

    private interface BlockProducer {
        Counts submitTo(BlockCompressor blocks, ExecutorService readers) throws IOException, InterruptedException;
    }

    private static SendReport store(SendOptions options, FrameFileWriter file, BlockProducer source)
            throws IOException, InterruptedException {
        ThreadCpuTimes times = new ThreadCpuTimes();
        TransferThreads threads = new TransferThreads(times);
        ExecutorService readers = threads.pool("read");
        CompressionPolicy policy = new FixedPolicy(((CompressionMode.Fixed) options.compression()).available());
        FrameFileSink frames = new FrameFileSink(file, options.threads() + 2);
        try (BlockCompressor blocks = new BlockCompressor(
                options,
                policy,
                frames,
                threads,
                choice -> new PackingEncoder(choice.codec().newEncoder(choice.level())))) {
            Counts counts = source.submitTo(blocks, readers);
            blocks.finish();
            frames.finish();
            return new SendReport(
                    new Figures(
                            counts.entries,
                            counts.contentBytes,
                            0,
                            file.wireBytes(),
                            blocks.readNanos(),
                            0,
                            0,
                            0,
                            times.cpuNanos()),
                    blocks.usages(),
                    false,
                    null,
                    options.threads(),
                    null);
        } finally {
            readers.shutdown();
        }
    }

    @Override
    void append(FrameHeader header, byte[] frame, int length) throws IOException {
        file.append(header, frame, length);
    }

    /** Writes the remaining frames, and finishes the file. */
    void finish() throws IOException, InterruptedException {
        drain();
        file.finish();
        if (Thread.interrupted()) { // the disk may have hung; the caller must not commit
            throw new InterruptedException();
        }
    }
}
