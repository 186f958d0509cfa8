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

/** Validates the fields of the excluded agents and jobs. Returns results only to administrators. */
@Restricted(NoExternalUse.class)
public interface ExclusionsFormValidation {
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

    static FormValidation forAdministrators(Supplier<FormValidation> check) {
        return Jenkins.get().hasPermission(Jenkins.ADMINISTER) ? check.get() : FormValidation.ok();
    }
}
