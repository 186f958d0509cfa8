package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Descriptor.FormException;
import java.util.function.BiConsumer;
import net.sf.json.JSONObject;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Makes an object of a submitted form.
 *
 * @param <T> type of the object
 */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface FormBinding<T> {
    /** As {@code Descriptor.newInstance}; may return null. */
    @CheckForNull
    T bind(JSONObject form) throws FormException;

    /**
     * A binding that does not lose the value of a newer version, which the form has shown: constructors and setters refuse it, as they
     * should when it comes from a Jenkinsfile. Values that are refused make a readable page instead of a stack trace.
     *
     * @param field name of a field with a list of valid values
     * @param keep  stores a value in the object without looking at it
     */
    default FormBinding<T> keeping(String field, ValidValues values, BiConsumer<T, String> keep) {
        return form -> {
            String shown = form.optString(field);
            if (shown.isEmpty() || values.list().contains(shown)) {
                return bindReadably(field, form);
            }
            // a copy: some forms are bound more than once
            JSONObject valid = JSONObject.fromObject(form);
            valid.put(field, values.defaultValue());
            T bound = bindReadably(field, valid);
            if (bound != null) {
                keep.accept(bound, shown);
            }
            return bound;
        };
    }

    private T bindReadably(String field, JSONObject form) throws FormException {
        try {
            return bind(form);
        } catch (LinkageError e) {
            // what Descriptor makes of an exception from a constructor or setter
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof IllegalArgumentException && cause.getCause() == null) {
                    throw new FormException(cause.getMessage(), cause, field);
                }
            }
            throw e;
        }
    }
}
