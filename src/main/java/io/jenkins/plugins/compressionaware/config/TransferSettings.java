package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How artifacts travel, with every default filled in and every value valid.
 *
 * @param codec     one of {@link EnumSetting#CODEC}
 * @param level     level of the codec; 0 for a codec without levels and for {@link #AUTO}
 * @param minLevel  least effort of {@code auto}, 0 to 19: 0 is stored, 1 lz4 or zstd 1, 2 to 19 a level of zstd
 * @param maxLevel  most effort of {@code auto} on the same scale, not below {@code minLevel}
 * @param threads   threads that compress, on the sending end; {@link SendOptions#BY_PROCESSORS} or at least 1
 * @param lanes     most lanes that one transfer may open
 * @param blockSize raw bytes per block
 * @param delta     whether content of the job's last build need not travel again
 */
@Restricted(NoExternalUse.class)
public record TransferSettings(
        String codec,
        int level,
        int minLevel,
        int maxLevel,
        int threads,
        Checksum checksum,
        int lanes,
        int blockSize,
        DirectLane directLane,
        boolean delta) {
    /** The codec for which the agent chooses block by block. */
    public static final String AUTO = "auto";

    public static final String OFF = "off";

    /** Whether frames may be sent over direct lanes. */
    public enum DirectLane {
        AUTO,
        /** Direct lanes over http do not seal their bodies, because the administrator trusts the network. */
        PLAIN,
        OFF,
        /** Fails a transfer if the direct lane does not work. */
        REQUIRED
    }

    public static final IntSetting LEVEL =
            new IntSetting(Codec.ZSTD.minLevel(), Codec.highestLevel(), Codec.ZSTD.defaultLevel());

    public static final IntSetting MIN_LEVEL = new IntSetting(0, Codec.ZSTD.maxLevel(), 0);

    /** Above zstd 9, a few percent cost several times the CPU time. */
    public static final IntSetting MAX_LEVEL = new IntSetting(0, Codec.ZSTD.maxLevel(), 9);

    /** Each thread holds a block or two; more threads than processors gain nothing. */
    public static final IntSetting THREADS = new IntSetting(1, 64, SendOptions.BY_PROCESSORS);

    /** An upper bound only: the actual number depends on the round trip. */
    public static final IntSetting LANES = new IntSetting(1, 8, 8);

    /** KiB. Below 64 every block costs more than it carries; above 4096 the other end refuses it. */
    public static final IntSetting BLOCK_SIZE_KIB = new IntSetting(64, 4096, FrameCodec.DEFAULT_BLOCK / 1024);

    static final TransferSettings DEFAULTS = new TransferSettings(
            AUTO,
            0,
            MIN_LEVEL.defaultValue(),
            MAX_LEVEL.defaultValue(),
            THREADS.defaultValue(),
            Checksum.XXH64,
            LANES.defaultValue(),
            FrameCodec.DEFAULT_BLOCK,
            DirectLane.AUTO,
            true);

    /** These settings, with the choice where it has been made. */
    public TransferSettings with(TransferOverride choice) {
        TransferOverride chosen = choice.inheritFrom(TransferOverride.unchecked(codec, level));
        return new TransferSettings(
                chosen.effectiveCodec(),
                chosen.effectiveLevel(),
                minLevel,
                maxLevel,
                threads,
                checksum,
                lanes,
                blockSize,
                directLane,
                choice.delta() == null ? delta : !OFF.equals(choice.delta()));
    }

    public static void requireMinNotAboveMax(@CheckForNull Integer minLevel, @CheckForNull Integer maxLevel) {
        if (minLevel != null && maxLevel != null && minLevel > maxLevel) {
            throw new IllegalArgumentException(Messages.TransferSettings_wrongOrder(minLevel, maxLevel));
        }
    }

    public SendOptions toSendOptions() {
        Codec fixed = EnumSetting.CODEC.parse(Codec.class, codec);
        CompressionMode compression = fixed == null
                ? new CompressionMode.Auto(minLevel, maxLevel, EnumSet.allOf(Codec.class))
                : new CompressionMode.Fixed(new CodecLevel(fixed, level));
        return new SendOptions(compression, blockSize, threads, checksum);
    }
}
