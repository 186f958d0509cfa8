package io.jenkins.plugins.compressionaware.transfer;

import hudson.FilePath;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.SampledLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.IOException;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Decides how files of this controller are packed for an agent, and packs a stash anew if its agent cannot unpack it, or if that saves time. */
@Restricted(NoExternalUse.class)
public record Repacking(FilePath workspace, RunningTransfer running) {
    /** Nanoseconds per byte assumed for a link whose speed is unknown but whose round trip is short (1 Gbit/s) or long (100 Mbit/s). */
    private static final double NEAR_NANOS_PER_BYTE = 8;

    private static final double FAR_NANOS_PER_BYTE = 80;

    /** Number of samples of a frame file that estimate how well its content compresses. */
    private static final int SAMPLE_COUNT = 16;

    /** Blocks and frames in memory while a frame file is repacked: three of each are read ahead, and one of each is in use. */
    private static final int BLOCKS_IN_MEMORY = 8;

    /**
     * Returns how to pack files of this controller for the agent. With {@code auto}, files are compressed only if samples show that the link would take
     * longer, because all builds share the controller's processors. Uncompressed blocks need no library on the agent.
     *
     * @param bytes total size of the files
     */
    public SendOptions optionsFor(TransferSettings settings, long bytes, FrameFile files)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.onController();
        if (!(wanted.compression() instanceof CompressionMode.Auto auto)) {
            return StashCodecs.withoutLz4(wanted);
        }
        boolean small = InlineStash.isSmall(bytes) && !AgentInfo.hasEngine(workspace.getChannel());
        CodecLevel choice = small
                ? CodecLevel.UNCOMPRESSED
                : running.disk()
                        .call(() -> sampled(files))
                        .choice(auto.minLevel(), auto.maxLevel(), linkNanosPerByte());
        return wanted.with(new CompressionMode.Fixed(choice));
    }

    /** Returns nanoseconds per wire byte to the agent. The value is a guess before the first transfer to an agent with this profile. */
    private double linkNanosPerByte() throws IOException, InterruptedException {
        double link = AgentProfile.of(workspace, running.transfer().job()).find(AgentProfile.Property.DOWNLINK);
        if (!Double.isNaN(link)) {
            return link;
        }
        // a new agent that is near can answer slowly and then seems far; the first transfer corrects this
        return AgentInfo.of(workspace.getChannel()).roundTrip().isFar() ? FAR_NANOS_PER_BYTE : NEAR_NANOS_PER_BYTE;
    }

    /** Estimates from samples how well a file compresses. Stops at an unreadable block; the transfer then reports the reason. */
    private static SampledLevel sampled(FrameFile file) {
        SampledLevel level = new SampledLevel();
        byte[] sample = new byte[SampledLevel.SAMPLE];
        try {
            for (int i = 0; i < SAMPLE_COUNT; i++) {
                level.sample(sample, file.sample(file.wireBytes() / SAMPLE_COUNT * i, sample));
            }
        } catch (IOException e) {
            return level;
        }
        return level;
    }

    /** Returns how to repack an uncompressed stash: compressed if that saves time. */
    CodecLevel levelFor(FrameFile file, TransferSettings settings) throws IOException, InterruptedException {
        return settings.toSendOptions().compression() instanceof CompressionMode.Auto auto
                        && !InlineStash.isSmall(file.rawBytes())
                        && file.wireBytes() > file.rawBytes()
                ? running.disk().call(() -> sampled(file)).choice(0, auto.maxLevel(), linkNanosPerByte())
                : CodecLevel.UNCOMPRESSED;
    }

    /** Returns the libraries that the agent needs for the file, or for the file with which it is replaced. */
    static Set<CodecLibrary> librariesFor(FrameFile file, CodecLevel repacking, Checksum checksum) {
        if (repacking.equals(CodecLevel.UNCOMPRESSED)) {
            return file.libraries();
        }
        return checksum == Checksum.CRC32C ? Set.of(CodecLibrary.ZSTD) : Set.of(CodecLibrary.values());
    }

    /** Returns a copy of a stash that is packed with one codec. */
    PackedCopy copy(FrameFile file, SendOptions options) throws IOException, InterruptedException {
        long bytes = Math.max(file.wireBytes(), file.rawBytes());
        return PackedCopy.of(
                new PackedCopy.Key(file.identity(), options, null),
                running.transfer().agent(),
                bytes,
                target -> repack(file, options, target));
    }

    private SendReport repack(FrameFile file, SendOptions options, FrameFileWriter target)
            throws IOException, InterruptedException {
        try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm()
                        .open((long) BLOCKS_IN_MEMORY * file.blockSize(), 0)
                        .of(running.transfer().agent());
                FrameFileTarInputStream tar = new FrameFileTarInputStream(file, Computer.threadPoolForRemoting)) {
            return FrameFileSink.store(tar, options, target);
        }
    }
}
