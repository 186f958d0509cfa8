package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.FormValidation;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The integers that a setting accepts.
 *
 * @param defaultValue used when the setting is empty
 */
@Restricted(NoExternalUse.class)
public record IntSetting(int min, int max, int defaultValue) {
    /**
     * @param value null for the default
     * @throws IllegalArgumentException naming the range, if the value is outside
     */
    @CheckForNull
    public Integer require(@CheckForNull Integer value) {
        if (value != null && (value < min || value > max)) {
            throw new IllegalArgumentException(message());
        }
        return value;
    }

    /** The default for null; the nearest valid number for a value outside the range, which only another version can have saved. */
    public int orDefault(@CheckForNull Integer value) {
        return value == null ? defaultValue : Math.max(min, Math.min(max, value));
    }

    /** Same as {@link #require}, for typed text. */
    public FormValidation check(String typed) {
        if (typed.isBlank()) {
            return FormValidation.ok();
        }
        try {
            require(Integer.valueOf(typed.trim()));
            return FormValidation.ok();
        } catch (IllegalArgumentException e) {
            return FormValidation.error(message());
        }
    }

    private String message() {
        // as text: a message would show 4096 as 4,096, which cannot be typed
        return Messages.IntSetting_wrong(Integer.toString(min), Integer.toString(max));
    }
}
