package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Restricts options for stored files to what {@code zstd} reads: zstd and gzip, but not LZ4. With {@code auto}, stored files are about as small as
 * core's, because many agents may read them over slower links than their writer's.
 */
@Restricted(NoExternalUse.class)
public final class Storable {
    private static final Choice INSTEAD = new Choice(Codec.ZSTD, Codec.ZSTD.minLevel());

    private Storable() {}

    /**
     * Least level of {@code auto}: ten kinds of files take 0.68 to 1.03 of the bytes of core's gzip. At level 1 shared libraries and sources take 6 %
     * more than core's.
     */
    private static final int LEAST = 3;

    /** Returns the options without LZ4, and with a least level for {@code auto}. */
    public static SendOptions of(SendOptions wanted) {
        return wanted.with(of(wanted.compression()));
    }

    private static Compression of(Compression wanted) {
        EnumSet<Codec> usable = EnumSet.allOf(Codec.class);
        usable.removeIf(codec -> !codec.isForStashes());
        if (wanted instanceof Compression.Auto auto) {
            usable.retainAll(auto.usable());
            return new Compression.Auto(Math.max(auto.minLevel(), least(auto)), auto.maxLevel(), usable);
        }
        Choice chosen = ((Compression.Fixed) wanted).choice();
        return new Compression.Fixed(chosen.codec().isForStashes() ? chosen : INSTEAD, usable);
    }

    /** Options for files that are on this machine already: there is no link to observe, and others wait for the processors. */
    public static SendOptions here(SendOptions wanted) {
        SendOptions storable = of(wanted);
        if (!(storable.compression() instanceof Compression.Auto auto)) {
            return storable;
        }
        Choice choice = least(auto) == 0 ? Choice.STORED : Choice.zstd(Math.max(auto.minLevel(), least(auto)));
        return storable.with(new Compression.Fixed(choice, auto.usable()));
    }

    private static int least(Compression.Auto auto) {
        return Math.min(LEAST, auto.maxLevel());
    }
}
