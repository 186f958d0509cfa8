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
public final class TransferOverride implements Serializable {
    private static final long serialVersionUID = 1;

    static final TransferOverride NONE = unchecked(null, null);

    // a string, so that a value saved by a newer version of the plugin is not lost
    @CheckForNull
    private final String codec;

    @CheckForNull
    private final Integer level;

    @CheckForNull
    private final String delta;

    private TransferOverride(@CheckForNull String codec, @CheckForNull Integer level, @CheckForNull String delta) {
        this.codec = codec;
        this.level = level;
        this.delta = delta;
    }

    /** A choice that is not checked, since a newer version may have saved it. */
    public static TransferOverride unchecked(@CheckForNull String codec, @CheckForNull Integer level) {
        return new TransferOverride(codec, level, null);
    }

    /**
     * A copy with another codec.
     *
     * @param chosen one of {@link EnumSetting#CODEC}; null or empty for inherited
     * @throws IllegalArgumentException naming the valid values, if it is none of them
     */
    TransferOverride withCodec(@CheckForNull String chosen) {
        return new TransferOverride(checked(EnumSetting.CODEC, chosen), level, delta);
    }

    /** A copy with another choice of delta, as {@link #withCodec}. */
    TransferOverride withDelta(@CheckForNull String chosen) {
        return new TransferOverride(codec, level, checked(EnumSetting.DELTA, chosen));
    }

    private static String checked(EnumSetting values, @CheckForNull String chosen) {
        return Util.fixEmpty(chosen) == null ? null : values.parse(chosen);
    }

    /**
     * A copy with another level.
     *
     * @param level null for the codec's default; a level above the codec's highest counts as the highest
     * @throws IllegalArgumentException if no codec has this level
     */
    TransferOverride withLevel(@CheckForNull Integer level) {
        return new TransferOverride(codec, TransferSettings.LEVEL.require(level), delta);
    }

    /** This choice, with the outer one's in place of what is inherited. A level belongs to its codec. */
    TransferOverride inheritFrom(TransferOverride outer) {
        return new TransferOverride(
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
    public String effectiveCodec() {
        return EnumSetting.CODEC.orDefault(codec);
    }

    /** The level to use; 0 if the codec has none. */
    public int effectiveLevel() {
        Codec known = EnumSetting.CODEC.parse(Codec.class, codec);
        return known != null && known.hasLevels() ? rangeOf(known).orDefault(level) : 0;
    }

    /** Checks that a typed level fits the codec, which may be inherited. */
    static FormValidation checkLevel(String typed, @CheckForNull String codec) {
        Codec known = EnumSetting.CODEC.parse(Codec.class, codec);
        if (Util.fixEmpty(codec) == null) {
            return TransferSettings.LEVEL.check(typed);
        } else if (known != null && known.hasLevels()) {
            return rangeOf(known).check(typed);
        }
        return FormValidation.ok(typed.isBlank() ? null : Messages.TransferOverride_levelIgnored(codec));
    }

    private static IntSetting rangeOf(Codec known) {
        return new IntSetting(known.minLevel(), known.maxLevel(), known.defaultLevel());
    }

    private Object readResolve() {
        EnumSetting.CODEC.warnIfUnknown(codec);
        EnumSetting.DELTA.warnIfUnknown(delta);
        return this;
    }
}
