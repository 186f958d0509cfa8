package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.io.file.PathUtils;

/** An agent in a separate process. */
final class AgentJvm implements Closeable {
    /** A small heap, because the agent needs the same memory for any number of files. */
    private static final String HEAP = "-Xmx128m";

    private static final int IDLE_MILLIS = 2_000;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name;
    private final NetworkSetup network;
    private final Transport transport;
    private final boolean rootOnly;
    private final ProcessHandle process;

    /**
     * Starts an agent, and waits until it is connected.
     *
     * @param sshd     runs the agent if the transport is SSH; else ignored
     * @param rootOnly whether an agent over TCP has no address of the web server, which would take precedence over the
     *                 root URL; https needs this
     */
    AgentJvm(NetworkSetup network, Transport transport, PrivateSshd sshd, boolean rootOnly) throws IOException {
        this.network = network;
        this.transport = transport;
        this.rootOnly = rootOnly;
        name = "agent-" + COUNT.incrementAndGet();
        Path folder = Files.createDirectories(jenkins().folder().resolve(name));
        List<String> jvmOptions = new ArrayList<>(List.of(HEAP, "-Dbench.agent=" + name));
        jvmOptions.addAll(network.jvmOptions);
        String more = System.getenv("AGENT_JVM_OPTIONS");
        if (more != null) {
            jvmOptions.addAll(List.of(more.split(" ")));
        }
        jvmOptions.addAll(jenkins().trust());
        if (transport == Transport.SSH) {
            jenkins()
                    .call(
                            "sshAgent",
                            Map.of(
                                    "name", name,
                                    "folder", folder.toString(),
                                    "port", network.portTo(sshd.port()),
                                    "key", sshd.key(),
                                    "java", JavaProgram.path("java"),
                                    "jvmOptions", String.join(" ", jvmOptions)));
        } else {
            start(folder, jvmOptions);
        }
        try {
            jenkins().call("waitForAgent", Map.of("name", name));
            process = ProcessHandle.allProcesses()
                    .filter(this::isAgent)
                    .findFirst()
                    .orElseThrow(() -> new IOException("The process of " + name + " was not found"));
        } catch (IOException e) {
            ProcessHandle.current().children().filter(this::isAgent).forEach(ProcessHandle::destroy);
            throw e;
        }
    }

    private void start(Path folder, List<String> jvmOptions) throws IOException {
        boolean webSocket = transport == Transport.WEBSOCKET;
        var node = jenkins().call("agent", Map.of("name", name, "folder", folder.toString(), "webSocket", webSocket));
        List<String> command = new ArrayList<>(List.of(JavaProgram.path("java")));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jenkins().agentJar().toString()));
        command.addAll(List.of("-name", name));
        command.addAll(List.of("-secret", node.get("secret").getAsString(), "-workDir", folder.toString()));
        command.add("-noReconnect");
        String tcp = "127.0.0.1:" + network.portTo(node.get("tcpPort").getAsInt());
        if (rootOnly && !webSocket) {
            command.addAll(
                    List.of("-direct", tcp, "-instanceIdentity", jenkins().identity(), "-protocols", "JNLP4-connect"));
        } else {
            command.addAll(List.of("-url", RealJenkins.url(network.http)));
            command.addAll(webSocket ? List.of("-webSocket") : List.of("-tunnel", tcp));
        }
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(jenkins().folder().resolve(name + ".log").toFile())
                .start();
    }

    private boolean isAgent(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("/java")
                && process.info().commandLine().orElse("").contains(" -Dbench.agent=" + name + " ");
    }

    /** Starts another agent like this one, which must not use SSH. */
    AgentJvm another() throws IOException {
        return new AgentJvm(network, transport, null, rootOnly);
    }

    RealJenkins jenkins() {
        return network.jenkins;
    }

    /** Returns the ways to measure with this agent. */
    List<String> measured(List<String> ways) {
        return transport.measured(jenkins().measured(ways));
    }

    private static final List<String> NOT_FILES =
            List.of(JenkinsBench.ZIP_PLUGIN, JenkinsBench.PACKED, JenkinsBench.STORE);

    /** Returns the name in the report of the link to the controller. */
    String link() {
        return network.condition.link(transport);
    }

    /** Calls a method of the controller's script with this agent as an argument. */
    JsonObject call(String method, Map<String, ?> arguments) throws IOException {
        Map<String, Object> all = new HashMap<>(arguments);
        all.put("agent", name);
        return jenkins().call(method, all);
    }

    /** Calls a method of the controller's script, and measures it. */
    Sample sample(String method, Map<String, String> arguments) throws IOException {
        double before = JavaProgram.cpuSeconds(process);
        JsonObject answer = call(method, arguments);
        Sample sample = new Gson().fromJson(answer, Sample.class);
        sample.agentCpu = JavaProgram.cpuSeconds(process) - before;
        sample.archive = Path.of(answer.get("archive").getAsString());
        return sample;
    }

    /** Runs a shell step and idles, as an agent does before its build archives. */
    void settle() throws IOException, InterruptedException {
        call("shellStep", Map.of());
        Thread.sleep(IDLE_MILLIS);
    }

    /**
     * Runs one step: archives as a build does, including the search for files; stashes; unstashes the last stash of
     * this way; or fetches archived files.
     *
     * @param kind   archive, stash, unstash, fetch, or delete for the last archive
     * @param source folder whose archive is fetched
     */
    Sample step(String kind, String way, Path folder, Path source) throws IOException {
        return sample(
                "step", Map.of("step", kind, "way", way, "folder", folder.toString(), "source", source.toString()));
    }

    /**
     * Runs a step, verifies its files and deletes them.
     *
     * @param temp    folder for files that the agent receives
     * @param compare whether to compare the files with their source
     */
    Sample run(String kind, String way, DataSet set, Path temp, boolean compare) throws IOException {
        boolean toAgent = kind.equals("unstash") || kind.equals("fetch");
        Path folder = toAgent ? Files.createTempDirectory(temp, "received-") : set.folder();
        Sample sample = step(kind, way, folder, set.folder());
        if (!kind.equals("stash")) {
            Path result = toAgent ? folder : sample.archive;
            if (kind.equals("archive")) {
                sample.addStorage(result);
            }
            // a zip keeps times of even seconds only
            if (compare && !NOT_FILES.contains(way)) {
                set.check(way, result);
            }
            PathUtils.deleteDirectory(result);
        }
        return sample;
    }

    /**
     * Lets several agents work at the same time, verifies their files and deletes them.
     *
     * @param kind archive for the whole set by each agent, or unstash for the last stash of the way
     */
    static Sample together(List<AgentJvm> agents, String kind, String way, DataSet set, Path temp, boolean compare)
            throws IOException {
        Path received = Files.createTempDirectory(temp, "received-");
        Path folder = kind.equals("archive") ? set.folder() : received;
        double before = cpuSeconds(agents);
        List<String> names = agents.stream().map(agent -> agent.name).toList();
        JsonObject answer = agents.get(0)
                .jenkins()
                .call("together", Map.of("step", kind, "agents", names, "way", way, "folder", folder.toString()));
        Sample sample = new Gson().fromJson(answer, Sample.class);
        sample.agentCpu = cpuSeconds(agents) - before;
        List<Path> results = new ArrayList<>();
        answer.getAsJsonArray("archives").forEach(archive -> results.add(Path.of(archive.getAsString())));
        names.stream().map(received::resolve).filter(Files::exists).forEach(results::add);
        for (Path result : results) {
            if (compare) {
                set.check(way, result);
            }
            PathUtils.deleteDirectory(result);
        }
        PathUtils.deleteDirectory(received);
        return sample;
    }

    private static double cpuSeconds(List<AgentJvm> agents) {
        return agents.stream()
                .mapToDouble(agent -> JavaProgram.cpuSeconds(agent.process))
                .sum();
    }

    /** Archives a folder for later fetches, unless it is archived already. */
    void source(Path folder) throws IOException {
        call("source", Map.of("folder", folder.toString()));
    }

    /**
     * Returns the number of classes that the agent's JVM has loaded, including the shared archive's. jstat reads shared
     * memory, so the agent loads no class for it.
     */
    long loadedClasses() throws IOException {
        Process jstat = new ProcessBuilder(JavaProgram.path("jstat"), "-class", Long.toString(process.pid())).start();
        List<String> lines = jstat.inputReader().lines().toList();
        if (lines.size() < 2) {
            throw new IOException(
                    "jstat: " + String.join("", jstat.errorReader().lines().toList()));
        }
        return Long.parseLong(lines.get(1).strip().split("\\s+")[0]);
    }

    @Override
    public void close() throws IOException {
        JavaProgram.end(process);
        jenkins().call("waitForDisconnect", Map.of("name", name));
    }
}
