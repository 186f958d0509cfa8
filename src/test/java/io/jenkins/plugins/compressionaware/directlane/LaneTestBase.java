package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Pattern;
import jenkins.model.JenkinsLocationConfiguration;
import org.jvnet.hudson.test.JenkinsRule;

/** Archives incompressible files, and checks in the log which way the bytes took. */
abstract class LaneTestBase extends JenkinsTestBase {
    static final String FAILURE = "Direct HTTP transfer failed, so the agent connection was used.";

    /** Three connections, or as many as streams if a call takes long on a busy machine. */
    private static final Pattern OVER_REQUESTS = Pattern.compile("; direct HTTP \\d");

    /** Creates a job that archives this many bytes on an agent. */
    final FreeStyleProject job(Slave agent, long size) throws Exception {
        FreeStyleProject job = archiving(agent);
        Path workspace = workspaceOf(agent, job);
        writeNoise(workspace.resolve("noise"), size);
        Files.writeString(workspace.resolve("small"), "small");
        return job;
    }

    /** Writes in chunks, because the heap of the tests is too small for one array. */
    private static void writeNoise(Path file, long size) throws IOException {
        Random random = new Random(size);
        byte[] chunk = new byte[100_000];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = size; left > 0; left -= chunk.length) {
                random.nextBytes(chunk);
                out.write(chunk, 0, (int) Math.min(chunk.length, left));
            }
        }
    }

    /** Builds, compares the archive with the workspace, and returns the log. */
    final String archive(FreeStyleProject job) throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        Path workspace = Path.of(build.getBuiltOn().getWorkspaceFor(job).getRemote());
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archiveOf(build)));
        return JenkinsRule.getLog(build);
    }

    static void assertDirect(String log) {
        assertTrue(OVER_REQUESTS.matcher(log).find(), log);
        assertFalse(log.contains(FAILURE), log);
    }

    static void assertUntried(String log) {
        assertFalse(log.contains("; direct HTTP ") || log.contains(FAILURE), log);
    }

    /** Starts an agent that knows only the configured URL of this Jenkins. */
    final Slave agentBehind(String rootUrl) throws Exception {
        JenkinsLocationConfiguration.get().setUrl(rootUrl);
        return r.createOnlineSlave();
    }
}
