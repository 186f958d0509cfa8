package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Restricts options for stored files to what {@code zstd} reads: zstd and gzip, but not LZ4. With {@code auto}, stored files are about as small as
 * core's, because many agents may read them over slower links than their writer's.
 */
@Restricted(NoExternalUse.class)
public final class StashCodecs {
    private static final CodecLevel INSTEAD = new CodecLevel(Codec.ZSTD, Codec.ZSTD.minLevel());

    private StashCodecs() {}

    /**
     * Least level of {@code auto}: ten kinds of files take 0.68 to 1.03 of the bytes of core's gzip. At level 1 shared libraries and sources take 6 %
     * more than core's.
     */
    private static final int LEAST = 3;

    /** Returns the options without LZ4, and with a least level for {@code auto}. */
    public static SendOptions of(SendOptions wanted) {
        return wanted.with(of(wanted.compression()));
    }

    private static CompressionMode of(CompressionMode wanted) {
        EnumSet<Codec> usable = EnumSet.allOf(Codec.class);
        usable.removeIf(codec -> !codec.isForStashes());
        if (wanted instanceof CompressionMode.Auto auto) {
            usable.retainAll(auto.usable());
            return new CompressionMode.Auto(Math.max(auto.minLevel(), least(auto)), auto.maxLevel(), usable);
        }
        CodecLevel chosen = ((CompressionMode.Fixed) wanted).choice();
        return new CompressionMode.Fixed(chosen.codec().isForStashes() ? chosen : INSTEAD, usable);
    }

    /** Options for files that are on this machine already: there is no link to observe, and others wait for the processors. */
    public static SendOptions onController(SendOptions wanted) {
        SendOptions storable = of(wanted);
        if (!(storable.compression() instanceof CompressionMode.Auto auto)) {
            return storable;
        }
        CodecLevel choice =
                least(auto) == 0 ? CodecLevel.UNCOMPRESSED : CodecLevel.zstd(Math.max(auto.minLevel(), least(auto)));
        return storable.with(new CompressionMode.Fixed(choice, auto.usable()));
    }

    private static int least(CompressionMode.Auto auto) {
        return Math.min(LEAST, auto.maxLevel());
    }
}
