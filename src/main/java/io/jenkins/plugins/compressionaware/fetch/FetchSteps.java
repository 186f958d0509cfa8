package io.jenkins.plugins.compressionaware.fetch;

import hudson.Extension;
import hudson.plugins.copyartifact.CopyArtifact;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import org.jenkinsci.plugins.workflow.flow.StepListener;
import org.jenkinsci.plugins.workflow.steps.CoreStep;
import org.jenkinsci.plugins.workflow.steps.Step;
import org.jenkinsci.plugins.workflow.steps.StepContext;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Puts a {@link FetchingSelector} into a step before it starts. The step is copyartifact's own, with its parameters, its checks of permissions and its
 * name in the Pipeline; each run of it in a Pipeline is an object of its own.
 */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class FetchSteps implements StepListener {
    @Override
    public void notifyOfNewStep(Step step, StepContext context) {
        if (step instanceof CoreStep core) {
            fetchFor(core, context);
        }
    }

    private static void fetchFor(CoreStep step, StepContext context) {
        if (step.delegate instanceof CopyArtifact copying && isOurs(copying)) {
            copying.setSelector(new FetchingSelector(copying, context));
        }
    }

    /** Jenkins looks for the classes of parameters: without copyartifact there is no such extension. */
    private static boolean isOurs(CopyArtifact copying) {
        return copying instanceof FetchArtifacts || GlobalPolicy.configured().answersCopyArtifacts();
    }
}
