package io.jenkins.plugins.compressionaware.config;

import hudson.model.AutoCompletionCandidates;
import hudson.model.labels.LabelExpression;
import hudson.util.FormValidation;
import java.util.function.Supplier;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/** Validates the fields that only the system settings have. Returns results only to administrators. */
@Restricted(NoExternalUse.class)
public interface GlobalFormValidation {
    @POST
    default FormValidation doCheckExcludedLabels(@QueryParameter String value) {
        return forAdministrators(() -> LabelExpression.validate(value));
    }

    @POST
    default AutoCompletionCandidates doAutoCompleteExcludedLabels(@QueryParameter String value) {
        return Jenkins.get().hasPermission(Jenkins.ADMINISTER)
                ? LabelExpression.autoComplete(value)
                : new AutoCompletionCandidates();
    }

    @POST
    default FormValidation doCheckExcludedJobs(@QueryParameter String value) {
        return forAdministrators(() -> Exclusions.checkJobs(value));
    }

    @POST
    default FormValidation doCheckMinLevel(@QueryParameter String value, @QueryParameter String maxLevel) {
        return forAdministrators(() -> TransferSettings.checkOrder(TransferSettings.MIN_LEVEL, value, value, maxLevel));
    }

    @POST
    default FormValidation doCheckMaxLevel(@QueryParameter String value, @QueryParameter String minLevel) {
        return forAdministrators(() -> TransferSettings.checkOrder(TransferSettings.MAX_LEVEL, value, minLevel, value));
    }

    private static FormValidation forAdministrators(Supplier<FormValidation> check) {
        return Jenkins.get().hasPermission(Jenkins.ADMINISTER) ? check.get() : FormValidation.ok();
    }
}
