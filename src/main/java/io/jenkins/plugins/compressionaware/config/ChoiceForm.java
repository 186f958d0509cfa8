package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Descriptor.FormException;
import hudson.model.Item;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.AncestorInPath;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/** Common to the descriptors of all forms with the fields codec and level. */
@Restricted(NoExternalUse.class)
public interface ChoiceForm {
    /** For the page: what there is to choose from, by the name of the setting. */
    default Map<String, ValidValues> getChoices() {
        return ValidValues.byName();
    }

    /** For the page: what an empty level stands for, as in "gzip 6, zstd 3". */
    default String getDefaultLevels() {
        return Arrays.stream(Codec.values())
                .filter(Codec::hasLevels)
                .map(codec -> codec.symbol() + " " + codec.defaultLevel())
                .collect(Collectors.joining(", "));
    }

    @POST
    default FormValidation doCheckCodec(@AncestorInPath Item item) {
        return item != null && maySee(item) && GlobalPolicy.configured().isLocked()
                ? FormValidation.warning(Messages.ChoiceForm_locked())
                : FormValidation.ok();
    }

    @POST
    default FormValidation doCheckLevel(
            @AncestorInPath Item item, @QueryParameter String value, @QueryParameter String codec) {
        return maySee(item) ? TransferChoice.checkLevel(value, codec) : FormValidation.ok();
    }

    /** The object that a submitted form describes. */
    @FunctionalInterface
    interface Bound<T> {
        T make() throws FormException;
    }

    /** A readable page, where a constructor or setter refuses a value, instead of a stack trace. */
    static <T> T readably(Bound<T> form) throws FormException {
        try {
            return form.make();
        } catch (LinkageError e) {
            // what Descriptor makes of such an exception
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof IllegalArgumentException && cause.getCause() == null) {
                    throw new FormException(cause.getMessage(), cause, "codec");
                }
            }
            throw e;
        }
    }

    /** @param item what the form belongs to; null on the System page and in the general Snippet Generator */
    private static boolean maySee(@CheckForNull Item item) {
        return item == null ? Jenkins.get().hasPermission(Jenkins.READ) : item.hasPermission(Item.EXTENDED_READ);
    }
}
