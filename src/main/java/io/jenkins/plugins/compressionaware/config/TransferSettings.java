package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Complete and valid settings for one transfer.
 *
 * @param codec     one of {@link EnumSetting#CODEC}
 * @param level     level of the codec; 0 for a codec without levels and for {@link #AUTO}
 * @param minLevel  lowest level for {@code auto}, 0 to 19: 0 is uncompressed, 1 to 19 are levels of zstd
 * @param maxLevel  highest level for {@code auto}, and for each codec on the controller, on the same scale, at least {@code minLevel}
 * @param checksum  checksum of each block
 * @param threads   compressing threads on the sending end; {@link SendOptions#BY_PROCESSORS} or at least 1
 * @param streams   maximum number of streams over the channel
 * @param reuse     whether to reuse content of the job's last build
 * @param storage   how artifacts from agents are stored
 * @param reconnectSeconds how long to wait for an agent whose connection was lost; 0 to fail at once
 */
@Restricted(NoExternalUse.class)
public record TransferSettings(
        String codec,
        int level,
        int minLevel,
        int maxLevel,
        Checksum checksum,
        int threads,
        int streams,
        DirectLane directLane,
        boolean reuse,
        Storage storage,
        int reconnectSeconds) {
    /** Lets the sending end choose codec and level for each block. */
    public static final String AUTO = "auto";

    public static final String OFF = "off";

    /** When to use direct lanes. */
    public enum DirectLane {
        AUTO,
        OFF,
        /** A transfer fails if it cannot use a direct lane. */
        REQUIRED
    }

    /** How the artifacts of an agent are stored. */
    public enum Storage {
        FILES,
        /** As one compressed file for each step. */
        PACKED
    }

    public static final IntSetting LEVEL =
            new IntSetting("level", Codec.ZSTD.minLevel(), Codec.ZSTD.maxLevel(), Codec.ZSTD.defaultLevel());

    public static final IntSetting MIN_LEVEL = new IntSetting("minLevel", 0, Codec.ZSTD.maxLevel(), 0);

    /** The default is 9 because higher levels cost several times the CPU time for a few percent. */
    public static final IntSetting MAX_LEVEL = new IntSetting("maxLevel", 0, Codec.ZSTD.maxLevel(), 9);

    /** Limited, because every compressing thread buffers up to two blocks. */
    public static final IntSetting THREADS = new IntSetting("threads", 1, 64, SendOptions.BY_PROCESSORS);

    /** Maximum number of streams. The round trip determines how many a transfer uses. */
    public static final IntSetting STREAMS = new IntSetting("maxStreams", 1, 8, 8);

    /** Seconds to wait for an agent to connect again. The default allows Jenkins and inbound agents at least one attempt. */
    public static final IntSetting RECONNECT_SECONDS = new IntSetting("reconnectSeconds", 0, 3600, 60);

    /** Returns these settings with an inner choice, which cannot allow a {@link #reuse} that these settings forbid. */
    public TransferSettings with(TransferOverride choice) {
        TransferOverride chosen = choice.inheritFrom(TransferOverride.unchecked(codec, level));
        return new TransferSettings(
                chosen.effectiveCodec(),
                chosen.effectiveLevel(),
                minLevel,
                maxLevel,
                checksum,
                threads,
                streams,
                directLane,
                reuse && !OFF.equals(choice.reuse),
                choice.storage == null ? storage : EnumSetting.STORAGE.parse(Storage.class, choice.storage),
                reconnectSeconds);
    }

    public static void requireMinNotAboveMax(@CheckForNull Integer minLevel, @CheckForNull Integer maxLevel) {
        if (minLevel != null && maxLevel != null && minLevel > maxLevel) {
            throw new IllegalArgumentException(Messages.TransferSettings_wrongOrder(minLevel, maxLevel));
        }
    }

    /**
     * Validates the text of one of the two levels in a form, also against the other.
     *
     * @param range valid values of the validated text
     */
    public static FormValidation checkOrder(IntSetting range, String text, String minLevel, String maxLevel) {
        FormValidation ofRange = range.check(text);
        try {
            if (ofRange.kind == FormValidation.Kind.OK) {
                requireMinNotAboveMax(Integer.valueOf(minLevel.trim()), Integer.valueOf(maxLevel.trim()));
            }
        } catch (NumberFormatException e) {
            // one of the fields is empty or invalid
        } catch (IllegalArgumentException e) {
            return FormValidation.error(e.getMessage());
        }
        return ofRange;
    }

    /**
     * Returns the options for files on the controller, whose processors all builds share: {@link #maxLevel} also limits a fixed level, which the author of a
     * Jenkinsfile may choose.
     */
    public SendOptions onController() {
        SendOptions wanted = toSendOptions();
        if (!(wanted.compression() instanceof CompressionMode.Fixed fixed)) {
            return wanted;
        }
        CodecLevel choice = fixed.choice();
        return wanted.with(new CompressionMode.Fixed(
                maxLevel == 0
                        ? CodecLevel.UNCOMPRESSED
                        : new CodecLevel(choice.codec(), Math.min(choice.level(), maxLevel))));
    }

    public SendOptions toSendOptions() {
        Codec fixed = EnumSetting.CODEC.parse(Codec.class, codec);
        CompressionMode compression = fixed == null
                ? new CompressionMode.Auto(minLevel, maxLevel, true)
                : new CompressionMode.Fixed(new CodecLevel(fixed, level));
        return new SendOptions(compression, FrameCodec.DEFAULT_BLOCK, threads, checksum);
    }
}
