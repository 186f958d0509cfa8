package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.model.Slave;
import hudson.remoting.Channel;
import hudson.util.RemotingDiagnostics;
import io.jenkins.plugins.compressionaware.testing.HangingReads;
import io.jenkins.plugins.compressionaware.testing.JumpingClock;
import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;
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

/** An agent that can be killed, stopped and started. */
final class AgentProcess {
    /** The streams are those of files that other steps have written, until the other end's garbage collector finds them. */
    private static final String KEPT =
            "hudson.remoting.(Channel|JarLoaderImpl|RemoteClassLoader.ClassLoaderProxy)|java.io.FileOutputStream";

    private final JenkinsRule r;
    private final InboundAgentExtension agents;
    private final InboundAgentExtension.Options options;
    final Slave agent;
    private final JumpingClock clock;
    private final HangingReads reads;
    private long pid;

    /**
     * One that the controller starts.
     *
     * @param clock what it sees; null if that is the machine's
     * @param reads how it reads; null if as the machine lets it
     */
    AgentProcess(Slave agent, JenkinsRule r, JumpingClock clock, HangingReads reads) throws Exception {
        this.r = r;
        this.clock = clock;
        this.reads = reads;
        this.agent = agent;
        agents = null;
        options = null;
        seen();
    }

    AgentProcess(Agents kind, JenkinsRule r, InboundAgentExtension agents) throws Exception {
        this.r = r;
        clock = null;
        reads = null;
        this.agents = agents;
        options = kind.options("-Xmx256m", "-XX:TieredStopAtLevel=1");
        options.setName(kind.name().toLowerCase(Locale.ROOT));
        r.jenkins.setSlaveAgentPort(0);
        agent = agents.createAgent(r, options);
        seen();
    }

    private void seen() throws Exception {
        pid = Long.parseLong(groovy("println java.lang.management.ManagementFactory.runtimeMXBean.name.split('@')[0]"));
    }

    String name() {
        return agent.getNodeName();
    }

    /** Right again when it is closed. Ends the test if there is none. */
    JumpingClock clock() {
        assumeTrue(clock.works(), "Untested: a clock that jumps, since there is no compiler");
        return clock;
    }

    /** As ever when it is closed. Ends the test if there is none. */
    HangingReads reads() {
        assumeTrue(reads.works(), "Untested: reads that hang, since there is no compiler");
        return reads;
    }

    /** @param seconds by which its time of day has to be ahead of this JVM's */
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

    /** Makes a new process, unless this one is connected. */
    void startUnlessConnected() throws Exception {
        if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) || agent.getChannel() == null) {
            if (options == null) {
                agent.toComputer().disconnect(null).get();
                agent.toComputer().connect(true).get();
            } else {
                agents.stop(r, name());
                agents.start(r, options);
            }
            seen();
        }
    }

    Stream<String> threads() throws Exception {
        return RemotingDiagnostics.getThreadDump(agent.getChannel()).keySet().stream();
    }

    /** What it has open. */
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
            return "closed meanwhile";
        }
    }

    /** What this controller and the agent have exported to each other, but for what remoting and core keep for as long as they are connected. */
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
                .filter(line -> line.startsWith("#") && !line.matches(".* object=(" + KEPT + ")@.*"))
                .toList();
    }

    /** Of direct buffers, in the agent. */
    long directBytes() throws Exception {
        return Long.parseLong(groovy("""
                println java.lang.management.ManagementFactory.getPlatformMXBeans(java.lang.management.BufferPoolMXBean)
                        .find { it.name == 'direct' }.memoryUsed
                """));
    }
}
