package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Util;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import java.util.Locale;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The transfer settings of a folder, a job or a step: codec, level, reuse, storage and store. A null value is inherited. Immutable. */
@Restricted(NoExternalUse.class)
public final class TransferOverride implements Serializable {
    private static final long serialVersionUID = 1;

    /** Value of {@link #store} that keeps artifacts and stashes on the controller. */
    static final String CONTROLLER = "controller";

    static final TransferOverride NONE = unchecked(null, null);

    /** The saved value, which may be from a newer version; null if inherited. */
    @CheckForNull
    public final String codec;

    @CheckForNull
    public final Integer level;

    /** The saved value, which may be from a newer version; null if inherited. */
    @CheckForNull
    public final String reuse;

    /** Former name of {@link #reuse} in saved settings; never saved. */
    private String delta;

    /** The saved value, which may be from a newer version; null if inherited, and always for a step. */
    @CheckForNull
    public final String storage;

    /** One of {@link EnumSetting#STORE}, or the name of a store, which need not exist; null if inherited, and always for a job or a step. */
    @CheckForNull
    public final String store;

    TransferOverride(
            @CheckForNull String codec,
            @CheckForNull Integer level,
            @CheckForNull String reuse,
            @CheckForNull String storage,
            @CheckForNull String store) {
        this.codec = codec;
        this.level = level;
        this.reuse = reuse;
        this.storage = storage;
        this.store = store;
    }

    /** Creates settings without validation, because a newer version may have saved them. */
    public static TransferOverride unchecked(@CheckForNull String codec, @CheckForNull Integer level) {
        return new TransferOverride(codec, level, null, null, null);
    }

    /**
     * Returns a copy with another codec.
     *
     * @param chosen one of {@link EnumSetting#CODEC}; null or empty for inherited
     * @throws IllegalArgumentException if the value is invalid, with the valid values in its message
     */
    TransferOverride withCodec(@CheckForNull String chosen) {
        return new TransferOverride(checked(EnumSetting.CODEC, chosen), level, reuse, storage, store);
    }

    /** Returns a copy with another value of reuse, one of {@link EnumSetting#REUSE}; null or empty for inherited. */
    TransferOverride withReuse(@CheckForNull String chosen) {
        return new TransferOverride(codec, level, checked(EnumSetting.REUSE, chosen), storage, store);
    }

    /** Returns a copy with another storage, one of {@link EnumSetting#STORAGE}; null or empty for inherited. */
    TransferOverride withStorage(@CheckForNull String chosen) {
        return new TransferOverride(codec, level, reuse, checked(EnumSetting.STORAGE, chosen), store);
    }

    /** Returns a copy with another store; null or empty for inherited. The name is not checked, because the administrator may define the store later. */
    TransferOverride withStore(@CheckForNull String chosen) {
        String name = Util.fixEmptyAndTrim(chosen);
        return new TransferOverride(codec, level, reuse, storage, name == null ? null : name.toLowerCase(Locale.ROOT));
    }

    private static String checked(EnumSetting values, @CheckForNull String chosen) {
        return Util.fixEmpty(chosen) == null ? null : values.parse(chosen);
    }

    /**
     * Returns a copy with another level.
     *
     * @param level null for the codec's default; limited to the codec's highest level
     * @throws IllegalArgumentException if no codec has this level
     */
    TransferOverride withLevel(@CheckForNull Integer level) {
        return new TransferOverride(codec, TransferSettings.LEVEL.require(level), reuse, storage, store);
    }

    /**
     * Returns these settings, with inherited values taken from the outer settings. A level is inherited only together with its codec. An outer {@code off} of
     * reuse is always inherited.
     */
    TransferOverride inheritFrom(TransferOverride outer) {
        return new TransferOverride(
                codec == null ? outer.codec : codec,
                codec == null && level == null ? outer.level : level,
                reuse == null || TransferSettings.OFF.equals(outer.reuse) ? outer.reuse : reuse,
                storage == null ? outer.storage : storage,
                store == null ? outer.store : store);
    }

    /** Returns only what these settings forbid. */
    TransferOverride locked() {
        return new TransferOverride(null, null, TransferSettings.OFF.equals(reuse) ? reuse : null, null, null);
    }

    /** Returns the codec to use; {@code auto} instead of a value from a newer version. */
    @NonNull
    public String effectiveCodec() {
        return EnumSetting.CODEC.orDefault(codec);
    }

    /** Returns the level to use; 0 for a codec without levels. */
    public int effectiveLevel() {
        Codec known = EnumSetting.CODEC.parse(Codec.class, codec);
        return known != null && known.hasLevels() ? rangeOf(known).orDefault(level) : 0;
    }

    /** Validates the text of a form's level for a codec, which may be inherited. */
    static FormValidation checkLevel(String text, @CheckForNull String codec) {
        Codec known = EnumSetting.CODEC.parse(Codec.class, codec);
        if (Util.fixEmpty(codec) == null) {
            return TransferSettings.LEVEL.check(text);
        } else if (known != null && known.hasLevels()) {
            return rangeOf(known).check(text);
        }
        return FormValidation.ok(text.isBlank() ? null : Messages.TransferOverride_levelIgnored(codec));
    }

    private static IntSetting rangeOf(Codec known) {
        return new IntSetting("level", known.minLevel(), known.maxLevel(), known.defaultLevel());
    }

    private Object readResolve() {
        EnumSetting.CODEC.warnIfUnknown(codec);
        EnumSetting.STORAGE.warnIfUnknown(storage);
        String read = delta == null ? reuse : delta;
        EnumSetting.REUSE.warnIfUnknown(read);
        return new TransferOverride(codec, level, read, storage, store);
    }
}
