package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.JsonObject;
import io.jenkins.plugins.compressionaware.demo.Link;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An inbound agent in a process of its own. Its node stays when it is closed. */
final class AgentJvm implements Closeable {
    /** Little on purpose: what the agent needs does not depend on what it sends. */
    private static final String HEAP = "-Xmx128m";

    private final String name;
    private final RealJenkins jenkins;
    private final Process process;

    /**
     * Starts it and waits until it is connected.
     *
     * @param name  of a node that does not exist yet
     * @param ports the ports on which it reaches the controller
     */
    AgentJvm(RealJenkins jenkins, String name, Transport transport, Ports ports) throws IOException {
        this.jenkins = jenkins;
        this.name = name;
        Path folder = Files.createDirectories(jenkins.folder().resolve(name));
        boolean webSocket = transport == Transport.WEBSOCKET;
        JsonObject node =
                jenkins.ask("agent", Map.of("name", name, "folder", folder.toString(), "webSocket", webSocket));
        List<String> command = new ArrayList<>(List.of(java(), HEAP, "-jar", jenkins.agentJar().toString()));
        command.addAll(List.of("-url", RealJenkins.url(ports.http()), "-name", name));
        command.addAll(List.of("-secret", node.get("secret").getAsString(), "-workDir", folder.toString()));
        command.add("-noReconnect");
        if (webSocket) {
            command.add("-webSocket");
        } else {
            command.addAll(List.of("-tunnel", "127.0.0.1:" + ports.tcp().portTo(node.get("tcpPort").getAsInt())));
        }
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(jenkins.folder().resolve(name + ".log").toFile())
                .start();
        try {
            jenkins.ask("waitForAgent", Map.of("name", name));
        } catch (IOException e) {
            process.destroy();
            throw e;
        }
    }

    /**
     * How an agent reaches the controller.
     *
     * @param http port of its web server
     * @param tcp  leads to its port for agents
     */
    record Ports(int http, Link tcp) {}

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        end(process);
        jenkins.ask("waitForGoodbye", Map.of("name", name));
    }
}
