package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jvnet.localizer.ResourceBundleHolder;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The values of a setting that is chosen from a list; the first one is the default. A value that only a newer version knows is kept until the form is
 * saved, and the default is used.
 */
@Restricted(NoExternalUse.class)
public enum EnumSetting {
    CODEC("codec", names(Codec.class, TransferSettings.AUTO)),
    CHECKSUM("checksum", names(Checksum.class)),
    DIRECT_LANE("directLane", names(TransferSettings.DirectLane.class)),
    DELTA("delta", List.of(TransferSettings.AUTO, TransferSettings.OFF)),
    DEDUPLICATE("deduplicate", names(FileDeduplicator.Method.class, TransferSettings.OFF));

    private static final Logger LOGGER = Logger.getLogger(EnumSetting.class.getName());

    private static final ResourceBundleHolder TEXTS = ResourceBundleHolder.get(Messages.class);

    private final String name;
    private final List<String> values;

    /** @param name of the setting, used to look up its texts */
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

    static Map<String, EnumSetting> byName() {
        return Arrays.stream(values()).collect(Collectors.toMap(setting -> setting.name, setting -> setting));
    }

    public String defaultValue() {
        return values.get(0);
    }

    public List<String> list() {
        return values;
    }

    /**
     * The value in its usual spelling. The letter case of {@code value} does not matter, and {@code false} is {@code off}, which some YAML tools replace
     * by it.
     *
     * @throws IllegalArgumentException naming the valid values, if it is none of them
     */
    public String parse(String value) {
        String usual = String.valueOf(value).trim().toLowerCase(Locale.ROOT);
        if (usual.equals("false")) {
            usual = TransferSettings.OFF;
        }
        if (!values.contains(usual)) {
            throw new IllegalArgumentException(unknown(value));
        }
        return usual;
    }

    public String orDefault(@CheckForNull String value) {
        return value != null && values.contains(value) ? value : defaultValue();
    }

    /** The constant named like the value that is used; null if there is none, as for {@code auto}. */
    public <E extends Enum<E>> E parse(Class<E> type, @CheckForNull String value) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equalsIgnoreCase(orDefault(value)))
                .findFirst()
                .orElse(null);
    }

    /** Warns in Jenkins' own log that the default replaces a loaded value, unless the value is valid or null. */
    public void warnIfUnknown(@CheckForNull String loaded) {
        if (loaded != null && !values.contains(loaded)) {
            LOGGER.log(Level.WARNING, "{0} The saved value is kept, and {1} is used.", new Object[] {
                unknown(loaded), defaultValue()
            });
        }
    }

    /**
     * All values with their descriptions.
     *
     * @param current  saved value to select
     * @param optional whether an empty value for no choice comes first, which is selected in place of a current one that is null or unknown
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
        return Messages.EnumSetting_unknown(value, name, String.join(", ", values));
    }
}
