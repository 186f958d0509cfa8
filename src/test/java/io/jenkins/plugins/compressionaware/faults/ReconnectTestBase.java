package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Result;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Path;
import org.jenkinsci.plugins.pipeline.modeldefinition.properties.PreserveStashesJobProperty;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Builds whose connection is cut. */
abstract class ReconnectTestBase extends JenkinsTestBase {
    /** Seconds that no case waits. */
    static final int LONG = 900;

    @TempDir
    Path folder;

    int count;

    interface Case {
        void run(CutTransfer cut) throws Exception;
    }

    /** Connects an agent over a link of this rate, for transfers without compression and direct HTTP. */
    final CutTransfer connect(String name, InboundTransport transport, long rate) throws Exception {
        factory.setCodec("none");
        factory.setDirectHttp("off");
        factory.setStorage("files");
        factory.setReconnectSeconds(LONG);
        return new CutTransfer(r, agents, transport, name, folder.resolve(name), rate);
    }

    final DynamicTest newCase(String name, InboundTransport transport, long rate, Case test) {
        return DynamicTest.dynamicTest(name, () -> {
            try (CutTransfer cut = connect("agent" + ++count, transport, rate)) {
                test.run(cut);
            }
        });
    }

    final WorkflowJob job(CutTransfer cut, String steps) throws Exception {
        WorkflowJob job = pipeline("node('%s') { ws('%s') { %s } }".formatted(cut.name, cut.from, steps));
        job.addProperty(new PreserveStashesJobProperty());
        return job;
    }

    final WorkflowRun start(CutTransfer cut, String steps) throws Exception {
        return job(cut, steps).scheduleBuild2(0).waitForStart();
    }

    final WorkflowRun archiving(CutTransfer cut) throws Exception {
        CutTransfer.fill(cut.from, 40, 400_000);
        return start(cut, "archiveArtifacts '**'\n echo 'later step on ' + pwd()\n sh 'true'");
    }

    /** Stashes on the controller, so that only the unstash uses the agent's connection. */
    final WorkflowRun unstashing(CutTransfer cut, int files) throws Exception {
        CutTransfer.fill(cut.from, files, 400_000);
        r.jenkins.setNumExecutors(1);
        WorkflowJob job = pipeline("""
            node('built-in') { ws('%s') { stash 's' } }
            node('%s') { ws('%s') { unstash 's' } }
            """.formatted(cut.from, cut.name, cut.to));
        return job.scheduleBuild2(0).waitForStart();
    }

    /** Asserts that a build has succeeded with the files of a folder, after this number of interruptions. */
    final void assertArchived(CutTransfer cut, Run<?, ?> build, String times) throws Exception {
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertEquals(FileTrees.describe(cut.from), FileTrees.describe(archiveOf(build)));
        assertInterrupted(build, times);
        cut.assertNothingRemains(build.getParent());
    }

    final void assertInterrupted(Run<?, ?> build, String times) throws Exception {
        String log = JenkinsRule.getLog(build);
        assertTrue(log.lines().anyMatch(line -> line.endsWith("; interrupted " + times)), log);
        assertFalse(log.contains("\tat "), log);
    }
}
