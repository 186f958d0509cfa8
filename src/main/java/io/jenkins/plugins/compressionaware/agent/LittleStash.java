package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.FlatFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.InflaterInputStream;

/** The controller's end of {@link StashLittle}: stores what has come as it would have come from an engine, for agents that need no library to read it. */
record LittleStash(FilePath workspace, RunningTransfer running) {
    private static final Choice STORED = new Choice(Codec.GZIP, FlatFiles.LEVEL);

    /**
     * Stores files.
     *
     * @param partial see {@link AgentTransfer#keep}, as for the others
     * @return null if they are to be stored in the usual way
     */
    @CheckForNull
    TransferResult keep(
            Path file, Path partial, Selection.Matching files, SendOptions options, AgentTransfer.Verdict verdict)
            throws IOException, InterruptedException {
        AgentJar.LITTLE.bring(workspace.getChannel());
        byte[] deflated;
        try (AgentCall<byte[]> call = new AgentCall<>(
                workspace.actAsync(new StashLittle(files)),
                reason -> AgentTransfer.explain(running.transfer(), workspace, reason))) {
            deflated = call.report();
        }
        if (deflated.length == 0) {
            return null;
        }
        running.arrived(deflated.length);
        SendOptions stored = options.with(new Compression.Fixed(STORED)).with(Checksum.CRC32C);
        try (StoredWriter writer = new StoredWriter(file, partial, options.blockSize())) {
            SendReport packed = Sender.store(inflated(deflated), stored, writer);
            verdict.on(packed);
            writer.commit();
            Usage usage = new Usage(STORED, 1, packed.contentBytes(), deflated.length, 0);
            return running.completed(
                    SendReport.NOTHING.after(List.of(usage), packed.entries()),
                    new ReceiveReport(
                            packed.entries(),
                            packed.contentBytes(),
                            writer.rawBytes(),
                            deflated.length,
                            0,
                            0,
                            0,
                            -1,
                            List.of()));
        }
    }

    private static byte[] inflated(byte[] deflated) throws IOException {
        int most = StashLittle.MOST_FLAT + StashLittle.MOST_BYTES;
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
            byte[] flat = in.readNBytes(most + 1);
            if (flat.length > most) {
                throw new IOException("The agent sends more than agreed");
            }
            return flat;
        }
    }
}
