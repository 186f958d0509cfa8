package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Util;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Codec, level and delta as chosen for a folder, a job or a step. Immutable. */
@Restricted(NoExternalUse.class)
public final class TransferChoice implements Serializable {
    private static final long serialVersionUID = 1;

    // a string, so that a value saved by a newer version of the plugin is not lost
    @NonNull
    private final String codec;

    @CheckForNull
    private final Integer level;

    @CheckForNull
    private final String delta;

    private TransferChoice(String codec, @CheckForNull Integer level, @CheckForNull String delta) {
        this.codec = codec;
        this.level = level;
        this.delta = delta;
    }

    /**
     * A codec at its default level.
     *
     * @throws IllegalArgumentException naming the valid codecs, if there is no such codec
     */
    public static TransferChoice of(String codec) {
        return new TransferChoice(ValidValues.CODEC.require(codec), null, null);
    }

    /** A choice that is not checked, since a newer version may have saved it. */
    public static TransferChoice saved(String codec, @CheckForNull Integer level) {
        return new TransferChoice(codec, level, null);
    }

    /**
     * A copy with another choice of delta.
     *
     * @param chosen one of {@link ValidValues#DELTA}; null or empty if not chosen here
     * @throws IllegalArgumentException naming the valid values, if it is none of them
     */
    TransferChoice withDelta(@CheckForNull String chosen) {
        String delta = Util.fixEmpty(chosen) == null ? null : ValidValues.DELTA.require(chosen);
        return new TransferChoice(codec, level, delta);
    }

    /**
     * A copy with another level.
     *
     * @param level null for the codec's default; a level above the codec's highest counts as the highest
     * @throws IllegalArgumentException if no codec has this level
     */
    TransferChoice withLevel(@CheckForNull Integer level) {
        return new TransferChoice(codec, TransferSettings.LEVEL.require(level), delta);
    }

    /** This choice, with the outer one's delta unless it has its own. */
    TransferChoice within(TransferChoice outer) {
        return delta == null ? new TransferChoice(codec, level, outer.delta) : this;
    }

    /** As chosen, even if this version does not know it. */
    @NonNull
    public String codec() {
        return codec;
    }

    /** As chosen; null for the codec's default. */
    @CheckForNull
    public Integer level() {
        return level;
    }

    /** As chosen, one of {@link ValidValues#DELTA}; null if not chosen here. */
    @CheckForNull
    public String delta() {
        return delta;
    }

    /** The codec to use: {@code auto} in place of one that only a newer version knows. */
    @NonNull
    public String usedCodec() {
        return ValidValues.CODEC.orDefault(codec);
    }

    /** The level to use; 0 if the codec has none. */
    public int usedLevel() {
        return Codec.ofSymbol(usedCodec())
                .filter(Codec::hasLevels)
                .map(this::levelOf)
                .orElse(0);
    }

    private int levelOf(Codec known) {
        return rangeOf(known).orDefault(level);
    }

    /** Checks that a typed level fits the codec. */
    static FormValidation checkLevel(String typed, String codec) {
        if (typed.isBlank()) {
            return FormValidation.ok();
        }
        return Codec.ofSymbol(ValidValues.CODEC.orDefault(codec))
                .filter(Codec::hasLevels)
                .map(known -> rangeOf(known).check(typed))
                .orElseGet(() -> FormValidation.ok(Messages.TransferChoice_levelIgnored(codec)));
    }

    private static Range rangeOf(Codec known) {
        return new Range(known.minLevel(), known.maxLevel(), known.defaultLevel());
    }

    private Object readResolve() {
        ValidValues.CODEC.warnIfUnknown(codec);
        ValidValues.DELTA.warnIfUnknown(delta);
        return this;
    }
}
