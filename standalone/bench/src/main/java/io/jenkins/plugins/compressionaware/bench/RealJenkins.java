package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A controller in a process of its own, with the plugin installed, that does what it is asked. For one thread. */
final class RealJenkins implements Closeable {
    /** Enough for a small installation. */
    private static final String HEAP = "-Xmx2g";

    private static final String PLUGIN = "compression-aware-artifacts.hpi";
    private static final String SCRIPT = "bench.groovy";
    private static final int LOOK_AFTER_PROCESS = 500;
    private static final long START = 180_000_000_000L;

    private final Gson gson = new Gson();
    private final Path folder;
    /** Not in the folder, which may be on a file system from which no native code can be loaded. */
    private final TempFolder temp = new TempFolder();

    private final Process process;
    private final Socket socket;
    private final Writer requests;
    private final BufferedReader answers;
    private final int httpPort;
    private final String prefix;

    /**
     * Starts it and waits until it is up.
     *
     * @param folder  does not exist yet
     * @param war     of Jenkins
     * @param plugins folder with the plugins to install
     * @param other   another build of this plugin to install instead; null for that of the folder
     */
    RealJenkins(Path folder, Path war, Path plugins, Path other) throws IOException {
        this.folder = folder;
        prefix = other == null ? "" : "other ";
        Path home = folder.resolve("home");
        install(home, plugins);
        if (other != null) {
            Files.copy(other, home.resolve("plugins").resolve(PLUGIN), StandardCopyOption.REPLACE_EXISTING);
        }
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket http = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            httpPort = http.getLocalPort();
            http.close();
            ProcessBuilder builder = new ProcessBuilder(
                    JavaProgram.path("java"),
                    HEAP,
                    "-Djenkins.install.runSetupWizard=false",
                    "-Dhudson.model.UpdateCenter.never=true",
                    "-Dbench.port=" + server.getLocalPort(),
                    "-Djava.io.tmpdir=" + temp.path(),
                    "-jar",
                    war.toString(),
                    "--httpListenAddress=127.0.0.1",
                    "--httpPort=" + httpPort);
            builder.environment().put("JENKINS_HOME", home.toString());
            process = builder.redirectErrorStream(true).redirectOutput(log().toFile()).start();
            try {
                socket = accept(server);
            } catch (IOException e) {
                process.destroy();
                throw e;
            }
        }
        requests = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        ask("rootUrl", Map.of("url", url(httpPort)));
        ask("agentJar", Map.of("file", agentJar().toString()));
    }

    private static void install(Path home, Path plugins) throws IOException {
        Files.createDirectories(home.resolve("plugins"));
        try (Stream<Path> files = Files.list(plugins)) {
            for (Path file : files.toList()) {
                Files.copy(file, home.resolve("plugins").resolve(file.getFileName()));
            }
        }
        Path scripts = Files.createDirectories(home.resolve("init.groovy.d"));
        try (InputStream script = RealJenkins.class.getResourceAsStream(SCRIPT)) {
            Files.copy(script, scripts.resolve(SCRIPT));
        }
    }

    private Socket accept(ServerSocket server) throws IOException {
        server.setSoTimeout(LOOK_AFTER_PROCESS);
        long start = System.nanoTime();
        while (process.isAlive() && System.nanoTime() - start < START) {
            try {
                return server.accept();
            } catch (SocketTimeoutException e) {
                // not up yet
            }
        }
        List<String> log = Files.readAllLines(log());
        throw new IOException("Jenkins does not start:\n"
                + String.join("\n", log.subList(Math.max(0, log.size() - 30), log.size())));
    }

    private Path log() {
        return folder.resolve("jenkins.log");
    }

    Path agentJar() {
        return folder.resolve("agent.jar");
    }

    Path folder() {
        return folder;
    }

    /** With those that archive. */
    Path builds() throws IOException {
        return Files.createDirectories(folder.resolve("home/jobs/bench/builds"));
    }

    /** How a way is named in the report: with another build of the plugin it is another way. */
    String title(String way) {
        return prefix + way;
    }

    /** Those of the ways that this controller is to be measured with: core needs only one. */
    List<String> measured(List<String> ways) {
        return ways.stream()
                .filter(way -> prefix.isEmpty() || !way.startsWith("core"))
                .toList();
    }

    int httpPort() {
        return httpPort;
    }

    static String url(int port) {
        return "http://127.0.0.1:" + port + "/";
    }

    /**
     * Has the controller do something.
     *
     * @param what a method of the script
     * @throws IOException with the controller's stack trace if it fails
     */
    JsonObject ask(String what, Map<String, ?> arguments) throws IOException {
        Map<String, Object> request = new TreeMap<>(arguments);
        request.put("what", what);
        requests.write(gson.toJson(request) + "\n");
        requests.flush();
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("Jenkins has ended");
        }
        JsonObject answer = gson.fromJson(line, JsonObject.class);
        if (answer.has("failure")) {
            throw new IOException("Jenkins: " + answer.get("failure").getAsString());
        }
        return answer;
    }

    /** Has an agent archive a folder for others to fetch, unless that has been done. */
    void source(AgentJvm agent, Path folder) throws IOException {
        ask("source", Map.of("agent", agent.name(), "folder", folder.toString()));
    }

    /** Whether a way has a say in stash and unstash. */
    boolean stashes(String way) throws IOException {
        return ask("stashes", Map.of("way", way)).get("yes").getAsBoolean();
    }

    /**
     * What a step of a build has yielded, and what the agent had to load for it; CPU in seconds.
     *
     * @param controllerHeap peak of the controller's heap, bytes
     * @param archive where an archive is; a stash is not there
     */
    record Step(
            double seconds,
            double agentCpu,
            double controllerCpu,
            long wireBytes,
            long controllerHeap,
            Path archive,
            String log,
            Loading loading) {}

    /**
     * Archives as a build does, from finding the files on; or stashes; or unstashes what was stashed last this way; or fetches what was archived.
     *
     * @param kind   archive, stash, unstash or fetch; or delete what was archived last
     * @param source what is fetched
     */
    Step step(AgentJvm agent, String kind, String way, Path folder, Path source) throws IOException {
        ask("collectGarbage", Map.of());
        double agentCpu = agent.cpuSeconds();
        double controllerCpu = cpuSeconds();
        JsonObject answer =
                ask("step", Map.of("agent", agent.name(), "step", kind, "way", way, "folder", folder.toString(), "source", source.toString()));
        return new Step(
                answer.get("nanos").getAsLong() / 1e9,
                agent.cpuSeconds() - agentCpu,
                cpuSeconds() - controllerCpu,
                answer.get("wireBytes").getAsLong(),
                answer.get("heap").getAsLong(),
                Path.of(answer.get("archive").getAsString()),
                answer.get("log").getAsString(),
                gson.fromJson(answer.get("loading"), Loading.class));
    }

    private double cpuSeconds() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        JavaProgram.end(process.toHandle());
        temp.close();
    }
}
