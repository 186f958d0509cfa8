package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What remains on an agent after its connection was cut during a transfer: as much as before. */
@Timeout(3600)
class AgentAfterCutTest extends ReconnectTestBase {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final long MAX_DIRECT_BYTES = 4 << 20;

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void archiveContinues(InboundTransport transport) throws Exception {
        run(transport, 900, cut -> {
            WorkflowRun build = archiving(cut);
            cut.awaitBytes(build, 0, 6_000_000);
            cut.cut(1000);
            assertArchived(cut, build, "once");
        });
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void unstashContinues(InboundTransport transport) throws Exception {
        run(transport, 900, cut -> {
            WorkflowRun build = unstashing(cut, 40);
            cut.awaitBytes(build, 0, 6_000_000);
            cut.cut(1000);
            r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
            assertInterrupted(build, "once");
            assertEquals(FileTrees.describe(cut.from), FileTrees.describe(cut.to));
            cut.assertNothingRemains(build.getParent());
        });
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void unstashFails(InboundTransport transport) throws Exception {
        run(transport, 3, cut -> {
            Files.writeString(cut.to.resolve("before"), "stays");
            assertFails(cut, unstashing(cut, 40), cut.from);
        });
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void fetchFails(InboundTransport transport) throws Exception {
        run(transport, 3, cut -> {
            FreeStyleProject source = cut.sourceOf("source");
            Files.writeString(cut.to.resolve("before"), "stays");
            WorkflowJob job =
                    pipeline("node('%s') { ws('%s') { fetchArtifacts 'source' } }".formatted(cut.name, cut.to));
            assertFails(cut, job.scheduleBuild2(0).waitForStart(), archiveOf(source.getLastBuild()));
        });
    }

    /** Asserts that the step fails, and leaves only complete files. */
    private void assertFails(CutTransfer cut, WorkflowRun build, Path expected) throws Exception {
        cut.awaitBytes(build, 0, 6_000_000);
        cut.proxy.cut();
        r.assertBuildStatus(Result.FAILURE, CutTransfer.end(build));
        r.assertLogContains("the connection to the agent was lost", build);
        assertEquals(1, CutTransfer.count(build, "was lost after"));
        assertEquals("stays", Files.readString(cut.to.resolve("before")));
        Files.delete(cut.to.resolve("before"));
        // the agent may learn of the cut later
        await().atMost(TIMEOUT)
                .ignoreExceptions()
                .until(() -> FileTrees.difference(
                                expected, cut.to, FileTrees.names(cut.to).keySet())
                        .isEmpty());
        cut.assertNothingRemains(build.getParent());
        cut.proxy.restore();
        await().atMost(CutTransfer.TIMEOUT).until(() -> cut.agent.getChannel() != null);
    }

    private void run(InboundTransport transport, int seconds, Case test) throws Exception {
        usePlugin();
        try (CutTransfer cut = connect("agent", transport, CutTransfer.RATE)) {
            factory.setReconnectSeconds(seconds);
            long pid = new AgentProcess(cut.agent, r, null, null).pid();
            test.run(cut);
            AgentProcess agent = new AgentProcess(cut.agent, r, null, null);
            assertEquals(pid, agent.pid(), "the process is the same");
            await().atMost(TIMEOUT).untilAsserted(() -> {
                assertEquals(
                        List.of(),
                        agent.threads()
                                .filter(name -> name.contains("artifact transfer"))
                                .toList());
                assertEquals(List.of(), open(agent, cut));
                assertEquals(List.of(), agent.exports());
                assertTrue(agent.directBytes() < MAX_DIRECT_BYTES, agent.directBytes() + " direct bytes");
            });
            for (Path folder : List.of(cut.from, cut.to)) {
                assertEquals(List.of(), Leftovers.partials(folder));
            }
        }
    }

    private static List<String> open(AgentProcess agent, CutTransfer cut) throws IOException {
        try (Stream<String> files = agent.files()) {
            return files.filter(file -> Stream.of(cut.from, cut.to).anyMatch(folder -> file.startsWith(folder + "/")))
                    .toList();
        }
    }
}
