package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.FormValidation;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A setting with a range of valid integers.
 *
 * @param name         name of the setting in YAML
 * @param defaultValue value of an empty setting
 */
@Restricted(NoExternalUse.class)
public record IntSetting(String name, int min, int max, int defaultValue) {
    /**
     * Returns the value if it is valid.
     *
     * @param value null for the default
     * @throws IllegalArgumentException if the value is out of range, with the name and the range in its message
     */
    @CheckForNull
    public Integer require(@CheckForNull Integer value) {
        if (value != null && (value < min || value > max)) {
            throw new IllegalArgumentException(name + ": " + message());
        }
        return value;
    }

    /** Returns the default for null. Another version may have saved a value that is out of range; returns the nearest valid value for it. */
    public int orDefault(@CheckForNull Integer value) {
        return value == null ? defaultValue : Math.max(min, Math.min(max, value));
    }

    /** Validates the text of a form field. */
    public FormValidation check(String text) {
        try {
            require(text.isBlank() ? null : Integer.valueOf(text.trim()));
            return FormValidation.ok();
        } catch (IllegalArgumentException e) {
            return FormValidation.error(message());
        }
    }

    private String message() {
        return Messages.IntSetting_wrong(min, max);
    }
}
