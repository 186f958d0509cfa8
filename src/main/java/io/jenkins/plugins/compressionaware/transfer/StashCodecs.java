package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Restricts the codecs of stashes to the formats that the {@code zstd} tool reads: zstd and gzip, but not LZ4. With {@code auto}, a stash is about as small
 * as core's, because many agents may download it over slower links than the uploading agent's.
 */
@Restricted(NoExternalUse.class)
public final class StashCodecs {
    private static final CodecLevel LZ4_REPLACEMENT = new CodecLevel(Codec.ZSTD, Codec.ZSTD.minLevel());

    private StashCodecs() {}

    /** Minimum level of {@code auto}, at which stashes are about as small as core's gzip; at level 1, sources would take 6 % more. */
    private static final int MIN_AUTO_LEVEL = 3;

    /** Returns the options without LZ4, and with a minimum level for {@code auto}. */
    public static SendOptions of(SendOptions wanted) {
        return wanted.with(of(wanted.compression()));
    }

    private static CompressionMode of(CompressionMode wanted) {
        EnumSet<Codec> usable = EnumSet.allOf(Codec.class);
        usable.removeIf(codec -> !codec.isForStashes());
        if (wanted instanceof CompressionMode.Auto auto) {
            usable.retainAll(auto.usable());
            return new CompressionMode.Auto(Math.max(auto.minLevel(), minAutoLevel(auto)), auto.maxLevel(), usable);
        }
        CodecLevel chosen = ((CompressionMode.Fixed) wanted).choice();
        return new CompressionMode.Fixed(chosen.codec().isForStashes() ? chosen : LZ4_REPLACEMENT, usable);
    }

    /** Returns options for files on the controller. {@code auto} becomes a fixed level, because there is no link to measure and all builds share the CPUs. */
    public static SendOptions onController(SendOptions wanted) {
        SendOptions allowed = of(wanted);
        if (!(allowed.compression() instanceof CompressionMode.Auto auto)) {
            return allowed;
        }
        CodecLevel choice = minAutoLevel(auto) == 0
                ? CodecLevel.UNCOMPRESSED
                : CodecLevel.zstd(Math.max(auto.minLevel(), minAutoLevel(auto)));
        return allowed.with(new CompressionMode.Fixed(choice, auto.usable()));
    }

    private static int minAutoLevel(CompressionMode.Auto auto) {
        return Math.min(MIN_AUTO_LEVEL, auto.maxLevel());
    }
}
