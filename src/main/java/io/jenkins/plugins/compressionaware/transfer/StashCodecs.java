package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Limits the compression of stashes. With {@code auto}, a stash is about as small as core's, because many agents may download it over slower links than the
 * uploading agent's. A stash never contains lz4, because {@code zstd -dc} must open it.
 */
@Restricted(NoExternalUse.class)
public final class StashCodecs {
    /** Minimum level of {@code auto}. In blocks of 256 KiB, headers of C are 0.5 % smaller than with core's gzip; at level 3, they are 7 % larger. */
    private static final int MIN_AUTO_LEVEL = 4;

    private StashCodecs() {}

    /** Returns the options with a minimum level for {@code auto}. */
    public static SendOptions of(SendOptions wanted) {
        return wanted.compression() instanceof CompressionMode.Auto auto
                ? wanted.with(new CompressionMode.Auto(minLevel(auto), auto.maxLevel(), auto.zstd(), false))
                : withoutLz4(wanted);
    }

    /** Returns options for files on the controller. {@code auto} becomes a fixed level, because there is no link to measure and all builds share the CPUs. */
    public static SendOptions onController(SendOptions wanted) {
        if (!(wanted.compression() instanceof CompressionMode.Auto auto)) {
            return withoutLz4(wanted);
        }
        int level = minLevel(auto);
        return wanted.with(new CompressionMode.Fixed(level == 0 ? CodecLevel.UNCOMPRESSED : CodecLevel.zstd(level)));
    }

    /** Returns options with one codec for all blocks, with zstd 1 instead of lz4. */
    static SendOptions withoutLz4(SendOptions wanted) {
        return wanted.compression() instanceof CompressionMode.Fixed fixed
                        && fixed.choice().codec() == Codec.LZ4
                ? wanted.with(new CompressionMode.Fixed(CodecLevel.zstd(1)))
                : wanted;
    }

    private static int minLevel(CompressionMode.Auto auto) {
        return Math.max(auto.minLevel(), Math.min(MIN_AUTO_LEVEL, auto.maxLevel()));
    }
}
