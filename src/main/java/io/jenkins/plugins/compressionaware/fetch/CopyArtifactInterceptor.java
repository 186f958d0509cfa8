package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
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
 * Replaces the selector of a {@code copyArtifacts} or {@code fetchArtifacts} step with a {@link FetchingSelector} before the step starts. The step remains a
 * step of the Copy Artifact plugin, so parameters and permission checks are unchanged.
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
        TaskListener log = get(TaskListener.class, context);
        if (log != null) {
            log.getLogger().println(BuildLogMessages.oneLine(line));
        }
    }

    @CheckForNull
    private static <T> T get(Class<T> type, StepContext context) {
        try {
            return context.get(type);
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot read " + type + " of the step");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    /** Returns whether a step is to be accelerated. The parameter type keeps Jenkins from loading this extension without the Copy Artifact plugin. */
    private static boolean appliesTo(CopyArtifact copying, StepContext context) {
        return copying instanceof FetchArtifactsBuilder
                || GlobalSettings.get().isAccelerateCopyArtifacts() && !isNamedByClass(context);
    }

    /** Returns whether the Pipeline uses the form {@code step([$class: 'CopyArtifact'])}. */
    private static boolean isNamedByClass(StepContext context) {
        FlowNode node = get(FlowNode.class, context);
        return node != null
                && ArgumentsAction.getArguments(node).get("delegate") instanceof Map<?, ?> delegate
                && delegate.containsKey("$class");
    }
}
