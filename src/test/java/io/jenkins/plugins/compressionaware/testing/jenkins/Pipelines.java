package io.jenkins.plugins.compressionaware.testing.jenkins;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jenkins.model.Jenkins;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.support.steps.input.InputAction;
import org.jvnet.hudson.test.JenkinsRule;

/** Pipelines of a Jenkins that runs in the same JVM or in a separate process. */
public final class Pipelines {
    private Pipelines() {}

    public static WorkflowJob create(JenkinsRule r, String name, String script) throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class, name);
        job.setDefinition(new CpsFlowDefinition(script, true));
        return job;
    }

    /** Creates and returns a job's workspace on an agent. */
    public static Path workspaceOn(String agent, WorkflowJob job) throws IOException {
        return Files.createDirectories(
                Path.of(Jenkins.get().getNode(agent).getWorkspaceFor(job).getRemote()));
    }

    /** Waits until a build waits for this number of inputs. */
    public static void awaitInputs(WorkflowRun build, int inputs) {
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            InputAction action = build.getAction(InputAction.class);
            return action != null && action.getExecutions().size() == inputs;
        });
    }

    /** Approves all inputs for which a build waits, and waits for its end. */
    public static WorkflowRun goOn(JenkinsRule r, WorkflowRun build) throws Exception {
        for (var input : List.copyOf(build.getAction(InputAction.class).getExecutions())) {
            input.proceed(null);
        }
        return r.waitForCompletion(build);
    }
}
