package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.EnvVars;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.HangingReads;
import io.jenkins.plugins.compressionaware.testing.JumpingClock;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.SshServer;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a build for each cell of {@link FaultMatrix}. The build must finish with a reason, keep existing files, leave
 * nothing behind, and the next build must succeed. {@code -Dfaults=REGEX} selects cells.
 */
class FaultMatrixTest extends JenkinsTestBase {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Bytes of direct buffers. The web server and Remoting use 2 to 4 MB; a leak of one block per cell would exceed the limit. */
    private static final long MAX_DIRECT_BYTES = 16 << 20;

    @TempDir
    private Path tmp;

    private final Map<TransportKind, AgentProcess> processes = new EnumMap<>(TransportKind.class);
    private SshServer ssh;
    private WorkflowJob next;
    private int count;

    @AfterEach
    void stopServer() {
        if (ssh != null) {
            ssh.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> cells() throws Exception {
        r.jenkins.setNumExecutors(1);
        factory.setCodec("none");
        factory.setReconnectSeconds(0); // see ReconnectTest
        usePlugin();
        next = r.createProject(WorkflowJob.class, "next");
        FreeStyleProject source = r.createFreeStyleProject("next-source");
        Run<?, ?> build = r.buildAndAssertSuccess(source);
        Path archive = Files.createDirectories(archiveOf(build));
        Files.writeString(archive.resolve("fetched"), "fetched");
        String only = System.getProperty("faults", ".*");
        return FaultMatrix.cells().stream()
                .filter(cell -> cell.toString().matches(only))
                .map(cell -> DynamicTest.dynamicTest(cell.toString(), () -> run(cell)));
    }

    private AgentProcess agentOf(TransportKind way) throws Exception {
        TransportKind process = way == TransportKind.DIRECT ? TransportKind.WEBSOCKET : way;
        AgentProcess agent = processes.get(process);
        if (agent == null) {
            agent = switch (process) {
                case PROXY -> {
                    JumpingClock clock = new JumpingClock(tmp);
                    HangingReads reads = new HangingReads(tmp);
                    EnvVars environment = new EnvVars(clock.environment());
                    reads.environment().forEach((name, value) -> environment.merge(name, value, (a, b) -> a + ":" + b));
                    yield new AgentProcess(r.createOnlineSlave(null, environment), r, clock, reads);
                }
                case SSH -> {
                    assumeTrue(SshServer.isPossible(), "Untested: SSH needs a server");
                    ssh = new SshServer(Files.createDirectory(tmp.resolve("ssh")));
                    yield new AgentProcess(ssh.agent(r, "ssh"), r, null, null);
                }
                default -> new AgentProcess(way.agent, r, agents);
            };
            processes.put(process, agent);
        }
        return agent;
    }

    private void run(FaultCase cell) throws Exception {
        factory.setCodec("none");
        factory.setDirectLane(cell.way().directLane);
        factory.setStorage(cell.operation() == Operation.PACK ? "packed" : "files");
        AgentProcess agent = agentOf(cell.way());
        long heap = HeapBudget.ofThisJvm().inUse();
        try (FaultScenario scenario =
                new FaultScenario(r, cell, agent, Files.createDirectory(tmp.resolve("cell" + ++count)))) {
            scenario.play();
            agent.startUnlessConnected();
            assertNothingRemains(scenario, heap);
            assertNextBuildSucceeds(agent);
        } finally {
            agent.signal("CONT");
            agent.startUnlessConnected();
        }
    }

    private void assertNextBuildSucceeds(AgentProcess agent) throws Exception {
        next.setDefinition(new CpsFlowDefinition("""
            node('%s') { ws('%s') {
                writeFile file: 'a', text: 'a'
                archiveArtifacts 'a'
                stash 'a'
                unstash 'a'
                fetchArtifacts 'next-source'
                echo "it is ${readFile 'fetched'}"
            } }
            """.formatted(agent.name(), tmp.resolve("next" + count)), true));
        r.assertLogContains("it is fetched", r.buildAndAssertSuccess(next));
    }

    private void assertNothingRemains(FaultScenario scenario, long heap) throws Exception {
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertEquals(List.of(), Leftovers.threads(), "threads of the controller");
            assertEquals(0, DirectLaneSessions.ALL.inUse(), "connections");
            assertEquals(heap, HeapBudget.ofThisJvm().inUse(), "heap");
            assertEquals(
                    List.of(), open(AgentProcess.files(ProcessHandle.current().pid()), scenario), "open files");
        });
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertEquals(
                    List.of(),
                    scenario.agent
                            .threads()
                            .filter(name -> name.contains("artifact transfer"))
                            .toList(),
                    "threads of the agent");
            assertEquals(List.of(), open(scenario.agent.files(), scenario), "open files of the agent");
            assertEquals(List.of(), scenario.agent.exports(), "exported objects");
            assertTrue(
                    scenario.agent.directBytes() < MAX_DIRECT_BYTES / 4,
                    scenario.agent.directBytes() + " direct bytes of the agent");
            assertTrue(directBytes() < MAX_DIRECT_BYTES, directBytes() + " direct bytes");
        });
        Path home = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts");
        // deleted by the thread that had to wait for the disk
        await().atMost(TIMEOUT).untilAsserted(() -> assertEquals(List.of(), FileTrees.list(home.resolve("journal"))));
        assertEquals(List.of(), FileTrees.list(home.resolve("packed")));
        for (Path folder : List.of(scenario.builds, scenario.from, scenario.to)) {
            assertEquals(List.of(), Leftovers.partials(folder));
        }
        assertFalse(Files.exists(scenario.to.resolveSibling("to@tmp")));
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static List<String> open(Stream<String> files, FaultScenario scenario) {
        List<Path> folders = List.of(scenario.builds, scenario.from, scenario.to);
        return files.filter(file -> folders.stream().anyMatch(folder -> file.startsWith(folder.toString() + "/")))
                .toList();
    }
}
