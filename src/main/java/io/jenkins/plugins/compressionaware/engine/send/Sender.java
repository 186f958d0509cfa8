package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import io.jenkins.plugins.compressionaware.engine.delta.DeltaEncoder;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The sending end of a transfer. */
@Restricted(NoExternalUse.class)
public final class Sender {
    private Sender() {}

    /**
     * Sends files and returns when the last byte has been given to a lane. No stream is closed.
     *
     * @param files   names in the archive, mapped to paths below {@code base}
     * @param earlier what the receiver has of an earlier build, see {@link DeltaEncoder#of}; null if nothing
     * @throws IOException if a file cannot be read, with its name, or the other end is gone or has given up; no end frame is sent then
     */
    public static SendReport send(
            Path base, Map<String, String> files, SendOptions options, SendTarget route, @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        ThreadCpuTimes times = new ThreadCpuTimes();
        TransferThreads threads = new TransferThreads(times);
        CompressionPolicy policy = policy(options, route);
        ExecutorService readers = threads.pool("read");
        try (FrameSender frames = new FrameSender(route, options.threads() + 2, policy, threads);
                BlockCompressor blocks = new BlockCompressor(options, policy, frames, threads)) {
            frames.start();
            TarPacker packer =
                    new TarPacker(new BlockSplitter(blocks, options.blockSize()), readers, DeltaEncoder.of(earlier));
            packer.pack(base, files);
            packer.close();
            blocks.finish();
            frames.finish();
            return new SendReport(
                    blocks.usages(),
                    policy instanceof AutoPolicy,
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

    private static CompressionPolicy policy(SendOptions options, SendTarget route) {
        if (options.compression() instanceof CompressionMode.Fixed fixed) {
            return new FixedPolicy(fixed);
        }
        CompressionMode.Auto auto = (CompressionMode.Auto) options.compression();
        ArrayList<CodecAvailability.Unavailable> unusable = new ArrayList<>();
        EnumSet<Codec> usable = CodecAvailability.loaded(auto.usable(), unusable::add);
        return new AutoPolicy(auto, usable, unusable, options.threads(), route);
    }
}
