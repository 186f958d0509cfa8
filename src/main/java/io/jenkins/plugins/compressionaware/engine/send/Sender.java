package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.delta.DeltaEncoder;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The sending end of a transfer: packs files into a tar, compresses its blocks, and sends the frames over lanes. */
@Restricted(NoExternalUse.class)
public final class Sender {
    private Sender() {}

    /**
     * Sends files, and returns when the last byte has been written to a lane. Closes no stream.
     *
     * @param files   names in the archive, mapped to paths below {@code base}
     * @param signature content of the reference build for {@link DeltaEncoder#of}; null if there is none
     * @throws IOException if a file cannot be read (the message has its name), or the receiver disconnected or ended the transfer; the receiver then
     *     gets no end frame
     */
    public static SendReport send(
            Path base,
            Map<String, String> files,
            SendOptions options,
            SendTarget target,
            @CheckForNull byte[] signature)
            throws IOException, InterruptedException {
        ThreadCpuTimes times = new ThreadCpuTimes();
        TransferThreads threads = new TransferThreads(times);
        CompressionPolicy policy = policy(options, target);
        ExecutorService readers = threads.pool("read");
        try (FrameSender frames = new FrameSender(target, options.threads() + 2, policy, threads, System::nanoTime);
                BlockCompressor blocks = new BlockCompressor(options, policy, frames, threads, target.firstFrame())) {
            frames.start();
            TarPacker packer =
                    new TarPacker(new BlockSplitter(blocks, options.blockSize()), readers, DeltaEncoder.of(signature));
            packer.pack(base, files);
            packer.close();
            blocks.finish();
            frames.finish();
            return report(packer, blocks, options, frames.wireBytes(), frames.writeNanos(), 0, times, frames.direct());
        } finally {
            readers.shutdown();
        }
    }

    /** @param writesOfPacker part of {@code writeNanos} that the packer spent while it filled blocks */
    static SendReport report(
            TarPacker packer,
            BlockCompressor blocks,
            SendOptions options,
            long wireBytes,
            long writeNanos,
            long writesOfPacker,
            ThreadCpuTimes times,
            @CheckForNull DirectLaneReport direct) {
        Figures figures = new Figures(
                packer.entries(),
                packer.contentBytes(),
                0,
                wireBytes,
                blocks.readNanos() - writesOfPacker,
                writeNanos,
                0,
                0,
                times.cpuNanos());
        boolean auto = options.compression() instanceof CompressionMode.Auto;
        String zstd = options.compression().zstd() ? CodecLibrary.ZSTD.knownProblem() : null;
        return new SendReport(figures, blocks.usages(), auto, zstd, options.threads(), direct);
    }

    static CompressionPolicy policy(SendOptions options, SendTarget target) {
        if (options.compression() instanceof CompressionMode.Fixed fixed) {
            return new FixedPolicy(fixed.available());
        }
        CompressionMode.Auto auto = (CompressionMode.Auto) options.compression();
        boolean zstd = auto.zstd() && CodecLibrary.ZSTD.isLoaded();
        return new AutoPolicy(auto, zstd, auto.lz4() && CodecLibrary.LZ4.isLoaded(), options.threads(), target);
    }
}
