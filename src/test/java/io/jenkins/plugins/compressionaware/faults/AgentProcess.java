package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.model.Slave;
import hudson.remoting.Channel;
import hudson.util.RemotingDiagnostics;
import io.jenkins.plugins.compressionaware.testing.HangingReads;
import io.jenkins.plugins.compressionaware.testing.JumpingClock;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** An agent whose process the test can kill, suspend and restart. */
final class AgentProcess {
    /** Exported until the other end collects garbage; the streams are of files that other steps have written. */
    private static final String IGNORED_EXPORTS =
            "hudson.remoting.(Channel|JarLoaderImpl|RemoteClassLoader.ClassLoaderProxy)|java.io.FileOutputStream";

    private final JenkinsRule r;
    private final InboundAgentExtension agents;
    private final InboundAgentExtension.Options options;
    final Slave agent;
    private final JumpingClock clock;
    private final HangingReads reads;
    private long pid;

    /**
     * Uses an agent that the controller has started.
     *
     * @param clock of the process; null for the machine's clock
     * @param reads controls reads of the process; null to leave them alone
     */
    AgentProcess(Slave agent, JenkinsRule r, JumpingClock clock, HangingReads reads) throws Exception {
        this.r = r;
        this.clock = clock;
        this.reads = reads;
        this.agent = agent;
        agents = null;
        options = null;
        readPid();
    }

    AgentProcess(InboundTransport kind, JenkinsRule r, InboundAgentExtension agents) throws Exception {
        this.r = r;
        clock = null;
        reads = null;
        this.agents = agents;
        options = kind.options("-Xmx256m", "-XX:TieredStopAtLevel=1");
        options.setName(kind.name().toLowerCase(Locale.ROOT));
        r.jenkins.setSlaveAgentPort(0);
        agent = agents.createAgent(r, options);
        readPid();
    }

    private void readPid() throws Exception {
        pid = Long.parseLong(groovy("println java.lang.management.ManagementFactory.runtimeMXBean.name.split('@')[0]"));
    }

    long pid() {
        return pid;
    }

    String name() {
        return agent.getNodeName();
    }

    /** Returns the clock, whose {@code close} resets it. Skips the test without a compiler. */
    JumpingClock clock() {
        assumeTrue(clock.works(), "Untested: a jumping clock needs a C compiler");
        return clock;
    }

    /** Returns the control of reads, whose {@code close} releases them. Skips the test without a compiler. */
    HangingReads reads() {
        assumeTrue(reads.works(), "Untested: hanging reads need a C compiler");
        return reads;
    }

    /** @param seconds expected difference between the agent's time of day and this JVM's */
    void assertAhead(long seconds) throws Exception {
        long there = Long.parseLong(groovy("println System.currentTimeMillis()"));
        assertEquals(seconds, TimeUnit.MILLISECONDS.toSeconds(there - System.currentTimeMillis()), 60);
    }

    Channel channel() {
        return (Channel) agent.getChannel();
    }

    String groovy(String script) throws Exception {
        return RemotingDiagnostics.executeGroovy(script, agent.getChannel()).trim();
    }

    void kill() {
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }

    /** @param name of the signal, such as STOP */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }

    /** Starts a new process unless the present one is connected. */
    void startUnlessConnected() throws Exception {
        if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) || agent.getChannel() == null) {
            if (options == null) {
                agent.toComputer().disconnect(null).get();
                agent.toComputer().connect(true).get();
            } else {
                agents.stop(r, name());
                agents.start(r, options);
            }
            readPid();
        }
    }

    Stream<String> threads() throws Exception {
        return RemotingDiagnostics.getThreadDump(agent.getChannel()).keySet().stream();
    }

    /** Returns the paths of open files. */
    Stream<String> files() throws IOException {
        return files(pid);
    }

    static Stream<String> files(long pid) throws IOException {
        try (Stream<Path> links = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return links.map(AgentProcess::target).toList().stream();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "closed";
        }
    }

    /** Returns objects that controller and agent have exported to each other, without those that Remoting and core keep while the agent is connected. */
    List<String> exports() throws Exception {
        StringWriter table = new StringWriter();
        try (PrintWriter out = new PrintWriter(table)) {
            channel().dumpExportTable(out);
        }
        String there = groovy("""
            System.gc()
            def table = new PrintWriter(out)
            hudson.remoting.Channel.current().dumpExportTable(table)
            table.flush()
            """);
        return Stream.concat(table.toString().lines(), there.lines())
                .filter(line -> line.startsWith("#") && !line.matches(".* object=(" + IGNORED_EXPORTS + ")@.*"))
                .toList();
    }

    /** Returns the bytes of direct buffers in the agent. */
    long directBytes() throws Exception {
        return Long.parseLong(groovy("""
            println java.lang.management.ManagementFactory.getPlatformMXBeans(java.lang.management.BufferPoolMXBean)
                    .find { it.name == 'direct' }.memoryUsed
            """));
    }
}
