package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.EnvVars;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.JumpingClock;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent's time of day becomes wrong by an hour while it stores an object. The signatures of requests have the controller's. */
class AgentClockTest extends StoreTestBase {
    private static final int BYTES_PER_SECOND = 2_000_000;

    @TempDir
    private Path tmp;

    @ParameterizedTest
    @ValueSource(longs = {3600, -3600})
    void transfersComplete(long ahead) throws Exception {
        Path from = Files.createDirectory(tmp.resolve("from"));
        Path to = Files.createDirectory(tmp.resolve("to"));
        byte[] noise = FileTrees.noise(40_000_000);
        Files.write(from.resolve("noise"), noise);
        try (JumpingClock clock = new JumpingClock(tmp);
                CuttingProxy slow = new CuttingProxy(TestStore.port(), BYTES_PER_SECOND)) {
            AgentProcess agent =
                    new AgentProcess(r.createOnlineSlave(null, new EnvVars(clock.environment())), r, clock, null);
            factory.setStore(store.over(slow.port()).setting());
            WorkflowRun build = pipeline("""
                node('%s') {
                    ws('%s') { archiveArtifacts '**'; stash 'x' }
                    ws('%s') { unstash 'x' }
                }
                """.formatted(agent.name(), from, to))
                    .scheduleBuild2(0)
                    .waitForStart();
            await().atMost(Duration.ofMinutes(1)).until(() -> store.unfinished() > 0);
            agent.clock().jump(ahead);
            r.assertBuildStatusSuccess(r.waitForCompletion(build));
            agent.assertAhead(ahead);
            assertEquals(FileTrees.describe(from), FileTrees.describe(to));
            try (InputStream archived =
                    build.getArtifactManager().root().child("noise").open()) {
                assertArrayEquals(noise, archived.readAllBytes());
            }
        }
    }
}
