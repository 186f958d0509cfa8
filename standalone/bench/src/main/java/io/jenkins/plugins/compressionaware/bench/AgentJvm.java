package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An agent in a process of its own. */
final class AgentJvm implements Closeable {
    /** Little on purpose: what the agent needs does not depend on what it sends. */
    private static final String HEAP = "-Xmx128m";

    private final String name;
    private final RealJenkins jenkins;
    private final ProcessHandle process;

    /**
     * Starts it and waits until it is connected.
     *
     * @param name of a node that does not exist yet
     * @param sshd where it runs if SSH is its transport; else not used
     */
    AgentJvm(Place place, String name, Transport transport, PrivateSshd sshd) throws IOException {
        this.jenkins = place.jenkins();
        this.name = name;
        Path folder = Files.createDirectories(jenkins.folder().resolve(name));
        List<String> jvmOptions = new ArrayList<>(List.of(HEAP, "-Dbench.agent=" + name));
        jvmOptions.addAll(place.jvmOptions());
        if (transport == Transport.SSH) {
            jenkins.ask("sshAgent", Map.of(
                    "name", name,
                    "folder", folder.toString(),
                    "port", place.link().portTo(sshd.port()),
                    "key", sshd.key(),
                    "java", JavaProgram.path("java"),
                    "jvmOptions", String.join(" ", jvmOptions)));
        } else {
            start(place, transport, folder, jvmOptions);
        }
        try {
            jenkins.ask("waitForAgent", Map.of("name", name));
            process = ProcessHandle.allProcesses()
                    .filter(this::isAgent)
                    .findFirst()
                    .orElseThrow(() -> new IOException("The process of " + name + " is not to be found"));
        } catch (IOException e) {
            ProcessHandle.current().children().filter(this::isAgent).forEach(ProcessHandle::destroy);
            throw e;
        }
    }

    private void start(Place place, Transport transport, Path folder, List<String> jvmOptions) throws IOException {
        boolean webSocket = transport == Transport.WEBSOCKET;
        var node = jenkins.ask("agent", Map.of("name", name, "folder", folder.toString(), "webSocket", webSocket));
        List<String> command = new ArrayList<>(List.of(JavaProgram.path("java")));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jenkins.agentJar().toString()));
        command.addAll(List.of("-url", RealJenkins.url(place.http()), "-name", name));
        command.addAll(List.of("-secret", node.get("secret").getAsString(), "-workDir", folder.toString()));
        command.add("-noReconnect");
        if (webSocket) {
            command.add("-webSocket");
        } else {
            int port = place.link().portTo(node.get("tcpPort").getAsInt());
            command.addAll(List.of("-tunnel", "127.0.0.1:" + port));
        }
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(jenkins.folder().resolve(name + ".log").toFile())
                .start();
    }

    private boolean isAgent(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("/java")
                && process.info().commandLine().orElse("").contains(" -Dbench.agent=" + name + " ");
    }

    String name() {
        return name;
    }

    RealJenkins jenkins() {
        return jenkins;
    }

    long pid() {
        return process.pid();
    }

    /** CPU time of the process, seconds, without asking its JVM; in steps of 10 ms on Linux. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    /** Classes its JVM has loaded, those of the shared archive included. Read from memory it shares, so it loads nothing for it. */
    long loadedClasses() throws IOException {
        Process jstat = new ProcessBuilder(JavaProgram.path("jstat"), "-class", Long.toString(pid())).start();
        List<String> lines = jstat.inputReader().lines().toList();
        if (lines.size() < 2) {
            throw new IOException("jstat: " + String.join("", jstat.errorReader().lines().toList()));
        }
        return Long.parseLong(lines.get(1).strip().split("\\s+")[0]);
    }

    @Override
    public void close() throws IOException {
        JavaProgram.end(process);
        jenkins.ask("waitForGoodbye", Map.of("name", name));
    }
}
