package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.tar.TarPacker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The agent's end of a transfer. */
public final class Sender {
    private Sender() {}

    /**
     * Sends files and returns when the last byte has been given to a lane. No stream is closed.
     *
     * @param files   name in the archive to path below {@code base}
     * @param outs    each leads to a {@link Receiver#newLane lane} of the receiver; at least one
     * @param credits what the {@link Receiver} says about the bytes it has consumed
     * @throws IOException if a file cannot be read, which it names, or the other end is gone or has given up; the stream then has no end frame
     */
    public static SendReport send(
            Path base,
            Map<String, String> files,
            SendOptions options,
            List<? extends OutputStream> outs,
            InputStream credits)
            throws IOException, InterruptedException {
        Codec codec = options.codec();
        String fallback = null;
        for (Optional<String> problem = CodecProbe.problem(codec);
                problem.isPresent() && codec != Codec.GZIP;
                problem = CodecProbe.problem(codec)) {
            Codec lesser = CodecProbe.lesser(codec);
            fallback = (fallback == null ? "" : fallback + "; ") + codec.symbol() + " does not work on this agent, "
                    + lesser.symbol() + " is used instead: " + problem.get();
            codec = lesser;
        }
        SendOptions effective = options.with(codec);
        List<StreamLane> lanes =
                outs.stream().map(out -> new StreamLane(out, outs.size() == 1)).toList();
        try (BlockPipeline pipeline = new BlockPipeline(effective, new Credit.Gate(credits), lanes)) {
            TarPacker packer = new TarPacker(new BlockSplitter(pipeline, effective.blockSize()));
            packer.pack(base, files);
            packer.close();
            pipeline.finish();
            long sent = lanes.stream().mapToLong(StreamLane::sent).sum();
            return new SendReport(codec, fallback, packer.entries(), packer.contentBytes(), sent);
        }
    }
}
