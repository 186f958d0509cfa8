package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.util.List;
import java.util.regex.Pattern;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests which codec a stash uses when global settings, folder, job and step differ. The global codec is gzip. */
class StashPolicyTest extends JenkinsTestBase {
    private static final Pattern STASH = Pattern.compile("(?m)^Stash \\w: .* sent[^;]*; ([^;\\n]*)");

    private Archiving archiving;

    @BeforeEach
    void start() throws Exception {
        archiving = new Archiving(r);
    }

    private static void script(WorkflowJob job, String node) throws Exception {
        job.setDefinition(new CpsFlowDefinition("node('" + node + "') {\n" + """
                    writeFile file: 'x', text: 'x'
                    stash 'a'
                    withArtifactTransfer(codec: 'none') { stash 'b' }
                    deleteDir()
                    unstash 'a'
                    withArtifactTransfer(codec: 'gzip') { unstash 'b' }
                }
                """, true));
    }

    private List<String> build(WorkflowJob job) throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(job);
        String log = JenkinsRule.getLog(build);
        // an unstash sends a frame file as stored and ignores the codec of the step
        assertEquals(2, log.split("Unstash \\w: .*; as stored", -1).length - 1, log);
        List<String> codecs =
                STASH.matcher(log).results().map(found -> found.group(1)).toList();
        assertTrue(codecs.size() == 2, log);
        return codecs;
    }

    @Test
    void stepOverridesJobJobOverridesFolder() throws Exception {
        String byStep = "none (set by withArtifactTransfer)";
        Folder folder = r.createProject(Folder.class, "folder");
        WorkflowJob job = folder.createProject(WorkflowJob.class, "job");
        script(job, "remote");
        assertEquals(List.of("gzip 6", byStep), build(job));
        folder.addProperty(folderChoice("zstd"));
        assertEquals(List.of("zstd 3 (set by the folder folder)", byStep), build(job));
        job.addProperty(jobChoice("none"));
        assertEquals(List.of("none (set by the job)", byStep), build(job));
        archiving.factory.setLockOverrides(true);
        assertEquals(List.of("gzip 6", "gzip 6"), build(job));
    }

    @Test
    void controllerStashUsesSameSettings() throws Exception {
        r.jenkins.setNumExecutors(1);
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        script(job, "built-in");
        assertEquals(List.of("gzip 6", "none (set by withArtifactTransfer)"), build(job));
    }
}
