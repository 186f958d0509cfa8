package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jvnet.localizer.ResourceBundleHolder;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A setting with a list of valid values, of which the first is the default. A saved value from a newer version is kept until the form is saved, and the
 * default applies.
 */
@Restricted(NoExternalUse.class)
public enum EnumSetting {
    CODEC("codec", names(Codec.class, TransferSettings.AUTO)),
    CHECKSUM("checksum", names(Checksum.class)),
    DIRECT_HTTP("directHttp", names(TransferSettings.DirectLane.class)),
    REUSE("reuse", List.of(TransferSettings.AUTO, TransferSettings.OFF)),
    STORAGE("storage", names(TransferSettings.Storage.class)),
    /** A setting of folders, with the names of stores as further values; the system setting of this name is a bucket. */
    STORE("store", List.of("system", TransferOverride.CONTROLLER)),
    DEDUPLICATE("deduplicate", names(FileDeduplicator.Method.class, TransferSettings.OFF));

    private static final Logger LOGGER = Logger.getLogger(EnumSetting.class.getName());

    private static final ResourceBundleHolder TEXTS = ResourceBundleHolder.get(Messages.class);

    /** Maximum number of characters of an invalid value in a message. */
    private static final int MAX_SHOWN = 100;

    /** Name of the setting in YAML and in the keys of its messages. */
    final String name;

    final List<String> values;

    EnumSetting(String name, List<String> values) {
        this.name = name;
        this.values = values;
    }

    private static List<String> names(Class<? extends Enum<?>> type, String... others) {
        return Stream.concat(
                        Arrays.stream(others),
                        Arrays.stream(type.getEnumConstants())
                                .map(constant -> constant.name().toLowerCase(Locale.ROOT)))
                .toList();
    }

    public String defaultValue() {
        return values.get(0);
    }

    /**
     * Normalizes a value. Ignores case, and accepts {@code false} for {@code off} because some YAML tools convert an unquoted {@code off}.
     *
     * @throws IllegalArgumentException if the value is invalid, with the valid values in its message
     */
    public String parse(String value) {
        String normalized = String.valueOf(value).trim().toLowerCase(Locale.ROOT);
        if (normalized.equals("false")) {
            normalized = TransferSettings.OFF;
        }
        if (!values.contains(normalized)) {
            throw new IllegalArgumentException(unknown(value));
        }
        return normalized;
    }

    public String orDefault(@CheckForNull String value) {
        return value != null && values.contains(value) ? value : defaultValue();
    }

    /** Returns the enum constant for the value, or for the default if the value is null or unknown; null if there is none, such as for {@code auto}. */
    public <E extends Enum<E>> E parse(Class<E> type, @CheckForNull String value) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equalsIgnoreCase(orDefault(value)))
                .findFirst()
                .orElse(null);
    }

    /** Logs a warning if a loaded value is unknown, so that the default applies. Null is no unknown value. */
    public void warnIfUnknown(@CheckForNull String loaded) {
        if (loaded != null && !values.contains(loaded)) {
            LOGGER.log(Level.WARNING, "{0} The saved value is kept, and {1} is used.", new Object[] {
                unknown(loaded), defaultValue()
            });
        }
    }

    /**
     * Lists the values with their descriptions.
     *
     * @param current  the saved value, which is selected; null if there is none
     * @param optional whether to add a first option "inherited", which is selected if the saved value is null or unknown
     */
    public ListBoxModel toListBox(@CheckForNull String current, boolean optional) {
        String selected = optional && !values.contains(String.valueOf(current)) ? "" : orDefault(current);
        ListBoxModel items = new ListBoxModel();
        if (optional) {
            items.add(new ListBoxModel.Option(Messages.EnumSetting_inherited(), "", selected.isEmpty()));
        }
        values.forEach(value -> items.add(new ListBoxModel.Option(
                TEXTS.format("EnumSetting." + name + '.' + value), value, value.equals(selected))));
        return items;
    }

    private String unknown(String value) {
        // one short line, because a job's configuration may have any text here, and Jenkins' log shows it
        String shown = value.substring(0, Math.min(MAX_SHOWN, value.length())).replaceAll("\\P{Graph}+", " ");
        return Messages.EnumSetting_unknown(shown, name, String.join(", ", values));
    }
}
