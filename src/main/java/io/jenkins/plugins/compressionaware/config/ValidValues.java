package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jvnet.localizer.ResourceBundleHolder;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The values of a setting that is chosen from a list. The default is used in place of any other value, saved by a newer version of the plugin, which
 * is kept until somebody saves the form.
 */
@Restricted(NoExternalUse.class)
public enum ValidValues {
    /** How blocks travel: {@code auto}, or the symbol of a {@link Codec} for all of them. */
    CODEC("codec", TransferSettings.AUTO, codecs()),

    /** The checksum that protects each block on its way. */
    CHECKSUM("checksum", "xxh64", List.of("xxh64", "crc32c", "none")),

    /** Whether frames may travel over direct lanes. */
    DIRECT_LANE(
            "directLane",
            "automatic",
            List.of("automatic", TransferSettings.PLAIN, TransferSettings.OFF, TransferSettings.REQUIRED)),

    /** Whether content of the job's last build need not travel again. */
    DELTA("delta", TransferSettings.AUTO, List.of(TransferSettings.AUTO, TransferSettings.OFF)),

    /** How unchanged files of finished builds share the disk. */
    SHARING("sharing", TransferSettings.OFF, List.of(TransferSettings.OFF, "reflinks", "hardlinks"));

    private static final Logger LOGGER = Logger.getLogger(ValidValues.class.getName());

    private static final ResourceBundleHolder TEXTS = ResourceBundleHolder.get(Messages.class);

    private final String name;
    private final String defaultValue;
    private final List<String> values;

    /** @param name of the setting, used to look up its texts */
    ValidValues(String name, String defaultValue, List<String> values) {
        this.name = name;
        this.defaultValue = defaultValue;
        this.values = values;
    }

    private static List<String> codecs() {
        List<String> codecs = new ArrayList<>(List.of(TransferSettings.AUTO));
        codecs.addAll(Codec.symbols());
        return List.copyOf(codecs);
    }

    static Map<String, ValidValues> byName() {
        return Arrays.stream(values()).collect(Collectors.toMap(setting -> setting.name, setting -> setting));
    }

    public String defaultValue() {
        return defaultValue;
    }

    public List<String> list() {
        return values;
    }

    /**
     * The value in its usual spelling; the letter case of {@code value} does not matter.
     *
     * @throws IllegalArgumentException naming the valid values, if it is none of them
     */
    public String require(String value) {
        String usual = String.valueOf(value).trim().toLowerCase(Locale.ROOT);
        if (!values.contains(usual)) {
            throw new IllegalArgumentException(unknown(value));
        }
        return usual;
    }

    public String orDefault(@CheckForNull String value) {
        return value != null && values.contains(value) ? value : defaultValue;
    }

    /** Warns in Jenkins' own log that the default replaces a loaded value, unless the value is valid or null. */
    public void warnIfUnknown(@CheckForNull String loaded) {
        if (loaded != null && !values.contains(loaded)) {
            LOGGER.log(Level.WARNING, "{0} The saved value is kept, {1} is used.", new Object[] {
                unknown(loaded), defaultValue
            });
        }
    }

    /**
     * All values with their descriptions.
     *
     * @param current saved value to select; the default is selected if it is null or unknown
     */
    public ListBoxModel items(@CheckForNull String current) {
        String selected = orDefault(current);
        ListBoxModel items = new ListBoxModel();
        values.forEach(value -> items.add(new ListBoxModel.Option(describe(value), value, value.equals(selected))));
        return items;
    }

    /** Same as {@link #items}, with an entry for no choice, so that an outer choice applies. */
    public ListBoxModel optionalItems(@CheckForNull String current) {
        ListBoxModel items = new ListBoxModel();
        boolean chosen = current != null && values.contains(current);
        items.add(new ListBoxModel.Option(Messages.ValidValues_notChosen(), "", !chosen));
        values.forEach(value -> items.add(new ListBoxModel.Option(describe(value), value, value.equals(current))));
        return items;
    }

    private String unknown(String value) {
        return TEXTS.format("ValidValues." + name + ".unknown", value, String.join(", ", values));
    }

    private String describe(String value) {
        return TEXTS.format("ValidValues." + name + '.' + value);
    }
}
