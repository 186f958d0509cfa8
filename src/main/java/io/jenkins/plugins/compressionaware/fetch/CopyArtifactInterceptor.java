package io.jenkins.plugins.compressionaware.fetch;

import hudson.Extension;
import hudson.model.TaskListener;
import hudson.plugins.copyartifact.BuildSelector;
import hudson.plugins.copyartifact.CopyArtifact;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import java.io.IOException;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jenkinsci.plugins.workflow.actions.ArgumentsAction;
import org.jenkinsci.plugins.workflow.flow.StepListener;
import org.jenkinsci.plugins.workflow.graph.FlowNode;
import org.jenkinsci.plugins.workflow.steps.CoreStep;
import org.jenkinsci.plugins.workflow.steps.Step;
import org.jenkinsci.plugins.workflow.steps.StepContext;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Puts a {@link FetchingSelector} into a step before it starts, unless the step's own gives other artifacts than those of the archive. The step stays
 * copyartifact's own, with its parameters, permission checks and name in the Pipeline; each run of it in a Pipeline has an object of its own.
 */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class CopyArtifactInterceptor implements StepListener {
    private static final Logger LOGGER = Logger.getLogger(CopyArtifactInterceptor.class.getName());

    @Override
    public void notifyOfNewStep(Step step, StepContext context) {
        if (step instanceof CoreStep core) {
            fetchFor(core, context);
        }
    }

    private static void fetchFor(CoreStep step, StepContext context) {
        if (step.delegate instanceof CopyArtifact copying && appliesTo(copying, context)) {
            BuildSelector selector = copying.getSelector();
            if (FetchingSelector.providesOwnArtifacts(selector)) {
                String why =
                        Messages.FetchingSelector_selector(selector.getClass().getSimpleName());
                log(Messages.FetchingSelector_left(copying.getProjectName(), why), context);
            } else {
                copying.setSelector(new FetchingSelector(copying, context));
            }
        }
    }

    private static void log(String line, StepContext context) {
        try {
            TaskListener log = context.get(TaskListener.class);
            if (log != null) {
                log.getLogger().println(BuildLogMessages.oneLine(line));
            }
        } catch (IOException e) {
            LOGGER.log(Level.FINE, "The step's log cannot be written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Jenkins loads the classes of parameters, so without copyartifact this extension does not exist. */
    private static boolean appliesTo(CopyArtifact copying, StepContext context) {
        return copying instanceof FetchArtifactsBuilder
                || GlobalSettings.get().isAccelerateCopyArtifacts() && !isNamedByClass(context);
    }

    /** Whether the Pipeline says {@code step([$class: 'CopyArtifact'])}. */
    private static boolean isNamedByClass(StepContext context) {
        try {
            FlowNode node = context.get(FlowNode.class);
            return node != null
                    && ArgumentsAction.getArguments(node).get("delegate") instanceof Map<?, ?> delegate
                    && delegate.containsKey("$class");
        } catch (IOException e) {
            LOGGER.log(Level.FINE, "The step's arguments cannot be read", e);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
