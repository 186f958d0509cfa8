package io.jenkins.plugins.compressionaware.config;

import hudson.model.AutoCompletionCandidates;
import hudson.model.labels.LabelExpression;
import hudson.util.FormValidation;
import java.util.Map;
import java.util.function.Supplier;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/** The fields of the System page besides codec and level. Only administrators see the results of checks. */
@Restricted(NoExternalUse.class)
public interface GlobalForm extends ChoiceForm {
    default Map<String, Range> getNumbers() {
        return Map.of(
                "minLevel", TransferSettings.MIN_LEVEL,
                "maxLevel", TransferSettings.MAX_LEVEL,
                "threads", TransferSettings.THREADS,
                "lanes", TransferSettings.LANES,
                "blockSize", TransferSettings.BLOCK_SIZE_KIB);
    }

    @POST
    default FormValidation doCheckMinLevel(@QueryParameter String value, @QueryParameter String maxLevel) {
        return forAdministrators(() -> checkOrder(TransferSettings.MIN_LEVEL, value, value, maxLevel));
    }

    @POST
    default FormValidation doCheckMaxLevel(@QueryParameter String value, @QueryParameter String minLevel) {
        return forAdministrators(() -> checkOrder(TransferSettings.MAX_LEVEL, value, minLevel, value));
    }

    private static FormValidation checkOrder(Range range, String typed, String minLevel, String maxLevel) {
        FormValidation outOfRange = range.check(typed);
        if (outOfRange.kind != FormValidation.Kind.OK || typed.isBlank()) {
            return outOfRange;
        }
        try {
            TransferSettings.requireOrder(Integer.valueOf(minLevel.trim()), Integer.valueOf(maxLevel.trim()));
        } catch (NumberFormatException e) {
            return FormValidation.ok(); // the other field is empty, or shows its own error
        } catch (IllegalArgumentException e) {
            return FormValidation.error(e.getMessage());
        }
        return FormValidation.ok();
    }

    @POST
    default FormValidation doCheckThreads(@QueryParameter String value) {
        return forAdministrators(() -> TransferSettings.THREADS.check(value));
    }

    @POST
    default FormValidation doCheckLanes(@QueryParameter String value) {
        return forAdministrators(() -> TransferSettings.LANES.check(value));
    }

    @POST
    default FormValidation doCheckBlockSize(@QueryParameter String value) {
        return forAdministrators(() -> TransferSettings.BLOCK_SIZE_KIB.check(value));
    }

    @POST
    default FormValidation doCheckExceptLabels(@QueryParameter String value) {
        return forAdministrators(() -> LabelExpression.validate(value));
    }

    @POST
    default AutoCompletionCandidates doAutoCompleteExceptLabels(@QueryParameter String value) {
        return Jenkins.get().hasPermission(Jenkins.ADMINISTER)
                ? LabelExpression.autoComplete(value)
                : new AutoCompletionCandidates();
    }

    @POST
    default FormValidation doCheckExceptJobs(@QueryParameter String value) {
        return forAdministrators(() -> Exclusions.checkJobs(value));
    }

    private static FormValidation forAdministrators(Supplier<FormValidation> check) {
        return Jenkins.get().hasPermission(Jenkins.ADMINISTER) ? check.get() : FormValidation.ok();
    }
}
