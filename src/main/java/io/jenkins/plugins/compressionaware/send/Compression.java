package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.io.Serializable;
import java.util.EnumSet;

/** What decides over codec and level. */
public sealed interface Compression extends Serializable {
    /** The same for every block, if it works on the sender's machine. */
    record Fixed(Choice choice) implements Compression {}

    /**
     * Chosen block by block from what is observed.
     *
     * @param minLevel least effort: 0 stored, 1 lz4 or zstd 1, 2 to 19 a zstd level
     * @param maxLevel most effort, on the same scale
     * @param usable   codecs that the receiver can decode
     */
    record Auto(int minLevel, int maxLevel, EnumSet<Codec> usable) implements Compression {}
}
