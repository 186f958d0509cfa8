package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Util;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Codec, level and delta as chosen for a folder, a job or a step. Null is inherited. Immutable. */
@Restricted(NoExternalUse.class)
public final class TransferChoice implements Serializable {
    private static final long serialVersionUID = 1;

    static final TransferChoice NONE = saved(null, null);

    // a string, so that a value saved by a newer version of the plugin is not lost
    @CheckForNull
    private final String codec;

    @CheckForNull
    private final Integer level;

    @CheckForNull
    private final String delta;

    private TransferChoice(@CheckForNull String codec, @CheckForNull Integer level, @CheckForNull String delta) {
        this.codec = codec;
        this.level = level;
        this.delta = delta;
    }

    /** A choice that is not checked, since a newer version may have saved it. */
    public static TransferChoice saved(@CheckForNull String codec, @CheckForNull Integer level) {
        return new TransferChoice(codec, level, null);
    }

    /**
     * A copy with another codec.
     *
     * @param chosen one of {@link ValidValues#CODEC}; null or empty for inherited
     * @throws IllegalArgumentException naming the valid values, if it is none of them
     */
    TransferChoice withCodec(@CheckForNull String chosen) {
        return new TransferChoice(checked(ValidValues.CODEC, chosen), level, delta);
    }

    /** A copy with another choice of delta, as {@link #withCodec}. */
    TransferChoice withDelta(@CheckForNull String chosen) {
        return new TransferChoice(codec, level, checked(ValidValues.DELTA, chosen));
    }

    private static String checked(ValidValues values, @CheckForNull String chosen) {
        return Util.fixEmpty(chosen) == null ? null : values.require(chosen);
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

    /** This choice, with the outer one's in place of what is inherited. A level belongs to its codec. */
    TransferChoice within(TransferChoice outer) {
        return new TransferChoice(
                codec == null ? outer.codec : codec,
                codec == null && level == null ? outer.level : level,
                delta == null ? outer.delta : delta);
    }

    /** As chosen, even if this version does not know it. */
    @CheckForNull
    public String codec() {
        return codec;
    }

    @CheckForNull
    public Integer level() {
        return level;
    }

    /** As chosen, even if this version does not know it. */
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
        Codec known = ValidValues.CODEC.parse(Codec.class, codec);
        return known != null && known.hasLevels() ? rangeOf(known).orDefault(level) : 0;
    }

    /** Checks that a typed level fits the codec, which may be inherited. */
    static FormValidation checkLevel(String typed, @CheckForNull String codec) {
        Codec known = ValidValues.CODEC.parse(Codec.class, codec);
        if (Util.fixEmpty(codec) == null) {
            return TransferSettings.LEVEL.check(typed);
        } else if (known != null && known.hasLevels()) {
            return rangeOf(known).check(typed);
        }
        return FormValidation.ok(typed.isBlank() ? null : Messages.TransferChoice_levelIgnored(codec));
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
