package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Descriptor.FormException;
import hudson.model.Item;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.AncestorInPath;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/** Validates the fields codec, level and reuse for the descriptors of all forms that have these fields. */
@Restricted(NoExternalUse.class)
public interface OverrideFormValidation {
    /** The fields whose help is in the folder of {@link ArtifactTransferProperty}. */
    List<String> HELP = List.of("codec", "level", "reuse", "storage");

    default Map<String, EnumSetting> getChoices() {
        return Arrays.stream(EnumSetting.values())
                .collect(Collectors.toMap(setting -> setting.name, setting -> setting));
    }

    /** Returns the default levels for the placeholder of an empty level, such as "gzip 6, zstd 3". */
    default String getDefaultLevels() {
        return Arrays.stream(Codec.values())
                .filter(Codec::hasLevels)
                .map(codec -> codec.symbol() + " " + codec.defaultLevel())
                .collect(Collectors.joining(", "));
    }

    @POST
    default FormValidation doCheckCodec(@AncestorInPath Item item) {
        return item != null && canView(item) && GlobalSettings.get().isLockOverrides()
                ? FormValidation.warning(Messages.OverrideFormValidation_locked())
                : FormValidation.ok();
    }

    @POST
    default FormValidation doCheckLevel(
            @AncestorInPath Item item, @QueryParameter String value, @QueryParameter String codec) {
        return canView(item) ? TransferOverride.checkLevel(value, codec) : FormValidation.ok();
    }

    @FunctionalInterface
    interface Bound<T> {
        T make() throws FormException;
    }

    /** Converts an invalid value of a form into a {@link FormException}, which Jenkins shows as a readable page instead of a stack trace. */
    static <T> T asFormException(Bound<T> form) throws FormException {
        try {
            return form.make();
        } catch (LinkageError e) {
            // Descriptor wraps the exception of a constructor or setter in a LinkageError
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof IllegalArgumentException && cause.getCause() == null) {
                    throw new FormException(cause.getMessage(), cause, "codec");
                }
            }
            throw e;
        }
    }

    /**
     * Returns whether the user may view the form.
     *
     * @param item owner of the form; null on the System page and in the Snippet Generator outside a job
     */
    private static boolean canView(@CheckForNull Item item) {
        return item == null ? Jenkins.get().hasPermission(Jenkins.READ) : item.hasPermission(Item.EXTENDED_READ);
    }
}
