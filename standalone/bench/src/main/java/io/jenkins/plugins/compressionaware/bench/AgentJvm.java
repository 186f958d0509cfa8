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

/** An agent in a process of its own. */
final class AgentJvm implements Closeable {
    /** Little on purpose: what the agent needs does not depend on what it sends. */
    private static final String HEAP = "-Xmx128m";

    private static final int IDLE_MILLIS = 2_000;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name;
    private final NetworkSetup place;
    private final Transport transport;
    private final ProcessHandle process;

    /**
     * Starts it and waits until it is connected.
     *
     * @param sshd where it runs if SSH is its transport; else not used
     */
    AgentJvm(NetworkSetup place, Transport transport, PrivateSshd sshd) throws IOException {
        this.place = place;
        this.transport = transport;
        name = "agent-" + COUNT.incrementAndGet();
        Path folder = Files.createDirectories(jenkins().folder().resolve(name));
        List<String> jvmOptions = new ArrayList<>(List.of(HEAP, "-Dbench.agent=" + name));
        jvmOptions.addAll(place.condition.jvmOptions());
        jvmOptions.addAll(jenkins().trust());
        if (transport == Transport.SSH) {
            jenkins().ask("sshAgent", Map.of(
                    "name", name,
                    "folder", folder.toString(),
                    "port", place.portTo(sshd.port()),
                    "key", sshd.key(),
                    "java", JavaProgram.path("java"),
                    "jvmOptions", String.join(" ", jvmOptions)));
        } else {
            start(folder, jvmOptions);
        }
        try {
            jenkins().ask("waitForAgent", Map.of("name", name));
            process = ProcessHandle.allProcesses()
                    .filter(this::isAgent)
                    .findFirst()
                    .orElseThrow(() -> new IOException("The process of " + name + " cannot be found"));
        } catch (IOException e) {
            ProcessHandle.current().children().filter(this::isAgent).forEach(ProcessHandle::destroy);
            throw e;
        }
    }

    private void start(Path folder, List<String> jvmOptions) throws IOException {
        boolean webSocket = transport == Transport.WEBSOCKET;
        var node = jenkins().ask("agent", Map.of("name", name, "folder", folder.toString(), "webSocket", webSocket));
        List<String> command = new ArrayList<>(List.of(JavaProgram.path("java")));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jenkins().agentJar().toString()));
        command.addAll(List.of("-name", name));
        command.addAll(List.of("-secret", node.get("secret").getAsString(), "-workDir", folder.toString()));
        command.add("-noReconnect");
        String tcp = "127.0.0.1:" + place.portTo(node.get("tcpPort").getAsInt());
        if (jenkins().rootOnly()) {
            command.addAll(List.of("-direct", tcp, "-instanceIdentity", jenkins().identity(), "-protocols", "JNLP4-connect"));
        } else {
            command.addAll(List.of("-url", RealJenkins.url(place.http)));
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

    /** Starts another one, which does not run by SSH. */
    AgentJvm another() throws IOException {
        return new AgentJvm(place, transport, null);
    }

    RealJenkins jenkins() {
        return place.jenkins;
    }

    /** How the report names what lies between it and the controller. */
    String link() {
        return place.condition.link(transport);
    }

    /** Has the controller do something that concerns this agent. */
    JsonObject ask(String what, Map<String, ?> arguments) throws IOException {
        Map<String, Object> all = new HashMap<>(arguments);
        all.put("agent", name);
        return jenkins().ask(what, all);
    }

    /** Has the controller do something with this agent that costs time. */
    Sample sample(String what, Map<String, String> arguments) throws IOException {
        double before = JavaProgram.cpuSeconds(process);
        JsonObject answer = ask(what, arguments);
        Sample sample = new Gson().fromJson(answer, Sample.class);
        sample.agentCpu = JavaProgram.cpuSeconds(process) - before;
        sample.archive = Path.of(answer.get("archive").getAsString());
        return sample;
    }

    /** Runs a shell step and idles, as an agent does before its build has something to archive. */
    void settle() throws IOException, InterruptedException {
        ask("shellStep", Map.of());
        Thread.sleep(IDLE_MILLIS);
    }

    /**
     * Archives as a build does, from finding the files on; or stashes; or unstashes what was stashed last this way; or fetches what was archived.
     *
     * @param kind   archive, stash, unstash or fetch; or delete what was archived last
     * @param source what is fetched
     */
    Sample step(String kind, String way, Path folder, Path source) throws IOException {
        return sample("step", Map.of("step", kind, "way", way, "folder", folder.toString(), "source", source.toString()));
    }

    /**
     * Runs a step of a build, looks whether it did what it should, and tidies up.
     *
     * @param temp    for what comes to the agent
     * @param compare whether to compare what has arrived with its source
     */
    Sample run(String kind, String way, DataSet set, Path temp, boolean compare) throws IOException {
        boolean brought = kind.equals("unstash") || kind.equals("fetch");
        Path folder = brought ? Files.createTempDirectory(temp, "brought-") : set.folder();
        Sample sample = step(kind, way, folder, set.folder());
        if (!kind.equals("stash")) {
            Path arrived = brought ? folder : sample.archive;
            if (compare) {
                set.check(way, arrived);
            }
            PathUtils.deleteDirectory(arrived);
        }
        return sample;
    }

    /** Has agents unstash at once what was stashed last in a way. */
    static Sample together(List<AgentJvm> agents, String way, DataSet set, Path temp, boolean compare) throws IOException {
        Path brought = Files.createTempDirectory(temp, "brought-");
        double before = cpuSeconds(agents);
        List<String> names = agents.stream().map(agent -> agent.name).toList();
        JsonObject answer = agents.get(0).jenkins().ask("together", Map.of("agents", names, "way", way, "folder", brought.toString()));
        Sample sample = new Gson().fromJson(answer, Sample.class);
        sample.agentCpu = cpuSeconds(agents) - before;
        for (String name : names) {
            if (compare) {
                set.check(way, brought.resolve(name));
            }
        }
        PathUtils.deleteDirectory(brought);
        return sample;
    }

    private static double cpuSeconds(List<AgentJvm> agents) {
        return agents.stream().mapToDouble(agent -> JavaProgram.cpuSeconds(agent.process)).sum();
    }

    /** Has it archive a folder for others to fetch, unless that has been done. */
    void source(Path folder) throws IOException {
        ask("source", Map.of("folder", folder.toString()));
    }

    /** Classes its JVM has loaded, those of the shared archive included. Read from memory it shares, so it loads nothing for it. */
    long loadedClasses() throws IOException {
        Process jstat = new ProcessBuilder(JavaProgram.path("jstat"), "-class", Long.toString(process.pid())).start();
        List<String> lines = jstat.inputReader().lines().toList();
        if (lines.size() < 2) {
            throw new IOException("jstat: " + String.join("", jstat.errorReader().lines().toList()));
        }
        return Long.parseLong(lines.get(1).strip().split("\\s+")[0]);
    }

    @Override
    public void close() throws IOException {
        JavaProgram.end(process);
        jenkins().ask("waitForGoodbye", Map.of("name", name));
    }
}
