package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Label;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import java.util.List;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.junit.jupiter.JenkinsSessionExtension;

class BlockAcrossRestartTest {
    @RegisterExtension
    private final JenkinsSessionExtension sessions = new JenkinsSessionExtension();

    @Test
    void blockSettingsSurviveRestart() throws Throwable {
        sessions.then(r -> {
            new Archiving(r);
            WorkflowJob job = Pipelines.create(r, "job", """
                    withArtifactTransfer(codec: 'zstd') {
                        parallel one: {
                            withArtifactTransfer(codec: 'none') {
                                input 'one'
                                node('second') { writeFile file: 'x', text: 'x'; archiveArtifacts 'x' }
                            }
                        }, two: {
                            input 'two'
                            node('second') { writeFile file: 'x', text: 'x'; archiveArtifacts 'x' }
                        }
                    }
                    node('second') { writeFile file: 'x', text: 'x'; archiveArtifacts 'x' }
                    """);
            WorkflowRun build = job.scheduleBuild2(0).waitForStart();
            Pipelines.awaitInputs(build, 2);
        });
        sessions.then(r -> {
            r.createOnlineSlave(Label.get("second"));
            WorkflowRun build =
                    r.jenkins.getItemByFullName("job", WorkflowJob.class).getLastBuild();
            r.assertBuildStatusSuccess(Pipelines.goOn(r, build));
            assertEquals(
                    List.of("gzip", "none: set by withArtifactTransfer", "zstd: set by withArtifactTransfer"),
                    Archiving.of(build));
        });
    }
}
