package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import hudson.FilePath;
import hudson.remoting.Future;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.RoundTripEstimate;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

@WithJenkins
class AgentSenderTest {
    @TempDir
    private Path tmp;

    private static final class Running extends CompletableFuture<SendReport> implements Future<SendReport> {}

    private AgentSender withoutEngine() throws IOException {
        FileTrees.noise(tmp.resolve("a"), 50_000);
        return new AgentSender(
                new FilePath(tmp.toFile()),
                FileSelection.ByName.of(Map.of("a", "a")),
                TransferResults.running(TransferInfo.Operation.ARCHIVE),
                (files, bytes, nanos) -> fail("the engine is started"),
                System::nanoTime);
    }

    /** If hundreds of builds archive at once, each has a small share of the heap, and all of them would load the engine. */
    @Test
    void limitedHeapDoesNotLoadEngine(@SuppressWarnings("unused") JenkinsRule r) throws Exception {
        try (AgentSender agent = withoutEngine()) {
            agent.begin(1 << 20, 100_000);
            assertTrue(agent.next().length > 50_000);
        }
    }

    /** An abort may close the sender while another thread starts a bootstrap call, which would pack files in vain. */
    @Test
    void callStartedAfterCloseFails(@SuppressWarnings("unused") JenkinsRule r) throws Exception {
        AgentSender agent = withoutEngine();
        agent.close();
        agent.begin(1 << 20, 100_000);
        assertThrows(IOException.class, agent::next);
    }

    /**
     * An abort waits only two seconds for a thread that hangs in the channel, so the engine can start after close. Its direct-lane secret would then stay
     * valid forever.
     */
    @Test
    void engineStartedAfterCloseIsClosed(@SuppressWarnings("unused") JenkinsRule r) throws Exception {
        FilePath workspace = new FilePath(tmp.toFile());
        RunningTransfer running = TransferResults.running(TransferInfo.Operation.ARCHIVE);
        AgentInfo facts = new AgentInfo(new RoundTripEstimate(1, 1), 0, "", null);
        DirectLaneSetup direct =
                DirectLaneSetup.open(DirectLane.OFF, workspace, "agent", System.out, facts, terms -> null);
        Running call = new Running();
        AtomicReference<AgentSender> agent = new AtomicReference<>();
        agent.set(new AgentSender(
                workspace,
                FileSelection.ByName.of(Map.of("a", "a")),
                running,
                (files, bytes, nanos) -> {
                    agent.get().close();
                    return new EngineSession(
                            new AgentCall<>(call, Throwable::toString, true), direct, null, 1, System.out);
                },
                System::nanoTime));
        agent.get().next();
        await().until(call::isCancelled);
    }
}
