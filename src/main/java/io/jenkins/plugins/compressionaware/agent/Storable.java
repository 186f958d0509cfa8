package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Keeps stored files readable by one ordinary tool, {@code zstd}, which reads gzip as well, but LZ4 only if it was built with it. */
@Restricted(NoExternalUse.class)
public final class Storable {
    private static final Choice INSTEAD_OF_LZ4 = new Choice(Codec.ZSTD, Codec.ZSTD.minLevel());

    private Storable() {}

    /** The same options without LZ4. */
    public static SendOptions of(SendOptions wanted) {
        return wanted.with(of(wanted.compression()));
    }

    private static Compression of(Compression wanted) {
        EnumSet<Codec> usable = EnumSet.complementOf(EnumSet.of(Codec.LZ4));
        if (wanted instanceof Compression.Auto auto) {
            usable.retainAll(auto.usable());
            return new Compression.Auto(auto.minLevel(), auto.maxLevel(), usable);
        }
        Choice chosen = ((Compression.Fixed) wanted).choice();
        return new Compression.Fixed(chosen.codec() == Codec.LZ4 ? INSTEAD_OF_LZ4 : chosen, usable);
    }

    /** Options for files that are on this machine already: there is no link to observe, and others wait for the processors. */
    public static SendOptions here(SendOptions wanted) {
        SendOptions storable = of(wanted);
        return storable.compression() instanceof Compression.Auto
                ? storable.with(new Compression.Fixed(
                        INSTEAD_OF_LZ4, storable.compression().usable()))
                : storable;
    }
}
