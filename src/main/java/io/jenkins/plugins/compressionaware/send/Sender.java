package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.tar.TarPacker;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The agent's end of a transfer. */
public final class Sender {
    private Sender() {}

    /**
     * Sends files and returns when the last byte has been given to a lane. No stream is closed.
     *
     * @param files name in the archive to path below {@code base}
     * @throws IOException if a file cannot be read, which it names, or the other end is gone or has given up; the stream then has no end frame
     */
    public static SendReport send(Path base, Map<String, String> files, SendOptions options, Route route)
            throws IOException, InterruptedException {
        ThreadTimes times = new ThreadTimes();
        SendCounters tally = new SendCounters();
        Policy policy = policy(options, route, times);
        try (BlockPipeline pipeline = new BlockPipeline(options, route, policy, tally, times)) {
            TarPacker packer = new TarPacker(new BlockSplitter(pipeline, options.blockSize()));
            packer.pack(base, files);
            packer.close();
            pipeline.finish();
            return new SendReport(
                    tally.usages(),
                    policy.reason(),
                    policy.remark(),
                    packer.entries(),
                    packer.contentBytes(),
                    tally.wireBytes.sum(),
                    tally.readNanos.sum(),
                    tally.writeNanos.sum(),
                    tally.heldNanos.sum(),
                    tally.starvedNanos.sum(),
                    pipeline.direct(),
                    times.cpuNanos());
        }
    }

    private static Policy policy(SendOptions options, Route route, ThreadTimes times) {
        if (options.compression() instanceof Compression.Fixed fixed) {
            return new FixedPolicy(fixed.choice());
        }
        return new AutoPolicy((Compression.Auto) options.compression(), options.threads(), route, times);
    }
}
