package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.EnvVars;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.FreeStyleBuild;
import hudson.model.Slave;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests an agent without a usable temporary folder: jars cannot be sent ahead, so Remoting loads each class. */
class NoTemporaryFolderTest extends JenkinsTestBase {
    @TempDir
    Path temp;

    /** With one bootstrap call each, and with the engine. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 6_000_000})
    void stashAndUnstashSucceedWithoutTemporaryFolder(int bytes) throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r, "-Djava.io.tmpdir=" + temp.resolve("missing"));
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject("job"));
        FilePath root = agent.getRootPath();
        Path file = Path.of(root.child("from/file").getRemote());
        FileTrees.noise(file, bytes);
        TaskListener quiet = TaskListener.NULL;
        Launcher launcher = agent.createLauncher(quiet);
        StashManager.stash(build, "x", root.child("from"), launcher, new EnvVars(), quiet, null, null, true, false);
        StashManager.unstash(build, "x", root.child("to"), launcher, new EnvVars(), quiet);
        assertEquals(-1, Files.mismatch(file, Path.of(root.child("to/file").getRemote())));
    }
}
