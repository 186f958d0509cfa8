package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.util.FormValidation;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The whole numbers that a setting may have.
 *
 * @param defaultValue what is used when the setting is empty
 */
@Restricted(NoExternalUse.class)
public record Range(int min, int max, int defaultValue) {
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

    /** The default for null, the nearest valid number for one outside the range, which only another version can have saved. */
    public int orDefault(@CheckForNull Integer value) {
        return value == null ? defaultValue : Math.max(min, Math.min(max, value));
    }

    /** The same as {@link #require}, for what has been typed. */
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
        // as text: in a message 4096 would be 4,096, which could not be typed
        return Messages.Range_wrong(Integer.toString(min), Integer.toString(max), Integer.toString(defaultValue));
    }
}
