package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.testing.Tls;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.IOUtils;

/**
 * A controller in a separate process with the plugin installed. It executes methods of bench.groovy on request. Not
 * thread-safe.
 */
final class RealJenkins implements Closeable {
    /** Enough for a small installation. */
    private static final String HEAP = "-Xmx2g";

    private static final String PLUGIN = "compression-aware-artifacts.hpi";
    private static final String ZIP_PLUGIN = JenkinsBench.ZIP_PLUGIN + ".hpi";
    private static final String SCRIPT = "bench.groovy";
    private static final int START_TIMEOUT_MILLIS = 180_000;

    private final Path folder;
    /** Outside the folder, which may be on a file system that does not allow native libraries. */
    private final TempFolder temp = new TempFolder();

    private final Process process;
    private final Socket socket;
    private final PrintWriter requests;
    private final BufferedReader answers;
    private final int httpPort;
    private final int httpsPort;
    private final Path trusted;
    private final String prefix;
    private final boolean zipPlugin;
    private final boolean storePlugin;

    /**
     * Starts the controller, and waits until it answers.
     *
     * @param folder   must not exist
     * @param options  names Jenkins and the plugins to install
     * @param other    another build of this plugin to install instead, without the plugins to compare with; null for the usual one
     */
    RealJenkins(Path folder, Options options, Path other) throws IOException, InterruptedException {
        this.folder = folder;
        prefix = other == null ? "" : "other ";
        zipPlugin = other == null && options.compressArtifacts != null;
        storePlugin = other == null && options.artifactManagerS3 != null;
        Path home = folder.resolve("home");
        Path plugins = home.resolve("plugins");
        FileUtils.copyDirectory(options.plugins.toFile(), plugins.toFile());
        if (storePlugin) {
            FileUtils.copyDirectory(options.artifactManagerS3.toFile(), plugins.toFile());
        }
        Path plugin = other == null ? options.plugins.resolve(PLUGIN) : other;
        Files.copy(plugin, plugins.resolve(PLUGIN), StandardCopyOption.REPLACE_EXISTING);
        if (zipPlugin) {
            Files.copy(options.compressArtifacts, plugins.resolve(ZIP_PLUGIN));
        }
        FileUtils.copyURLToFile(getClass().getResource(SCRIPT), home.resolve("init.groovy.d/" + SCRIPT).toFile());
        try (Tls tls = Tls.create(folder)) {
            trusted = tls.store();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket http = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket https = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            httpPort = http.getLocalPort();
            httpsPort = https.getLocalPort();
            http.close();
            https.close();
            ProcessBuilder builder = new ProcessBuilder(
                    JavaProgram.path("java"),
                    HEAP,
                    "-Djenkins.install.runSetupWizard=false",
                    "-Dhudson.model.UpdateCenter.never=true",
                    "-Dbench.port=" + server.getLocalPort(),
                    "-Djava.io.tmpdir=" + temp.path(),
                    "-jar",
                    options.war.toString(),
                    "--httpListenAddress=127.0.0.1",
                    "--httpPort=" + httpPort,
                    "--httpsListenAddress=127.0.0.1",
                    "--httpsPort=" + httpsPort,
                    "--httpsKeyStore=" + folder.resolve("keys.p12"),
                    "--httpsKeyStorePassword=" + Tls.PASSWORD);
            builder.environment().put("JENKINS_HOME", home.toString());
            process = builder.redirectErrorStream(true).redirectOutput(log().toFile()).start();
            socket = accept(server);
        }
        requests = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        address(httpPort, httpsPort);
        call("agentJar", Map.of("file", agentJar().toString()));
    }

    private Socket accept(ServerSocket server) throws IOException {
        server.setSoTimeout(START_TIMEOUT_MILLIS);
        process.onExit().thenRun(() -> IOUtils.closeQuietly(server));
        try {
            return server.accept();
        } catch (SocketException | SocketTimeoutException e) {
            process.destroy();
            List<String> log = Files.readAllLines(log());
            String end = String.join("\n", log.subList(Math.max(0, log.size() - 30), log.size()));
            throw new IOException("Jenkins did not start:\n" + end, e);
        }
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

    /** Returns the folder of builds that archive. */
    Path builds() throws IOException {
        return Files.createDirectories(folder.resolve("home/jobs/bench/builds"));
    }

    /** Returns the name of a way in the report, with a prefix for another build of the plugin. */
    String title(String way) {
        return prefix + way;
    }

    /** Returns the ways to measure with this controller. Core is measured with only one controller. */
    List<String> measured(List<String> ways) {
        return ways.stream()
                .filter(way -> prefix.isEmpty() || !way.startsWith("core"))
                .filter(way -> zipPlugin || !way.equals(JenkinsBench.ZIP_PLUGIN))
                .filter(way -> storePlugin || !way.equals(StoreRuns.PLUGIN))
                .filter(way -> StoreRuns.ENDPOINT != null || !way.equals(JenkinsBench.STORE))
                .toList();
    }

    int httpPort() {
        return httpPort;
    }

    int httpsPort() {
        return httpsPort;
    }

    /** Returns the instance identity, which agents without the root URL need to connect. */
    String identity() throws IOException {
        return new URL(url(httpPort) + "tcpSlaveAgentListener/").openConnection().getHeaderField("X-Instance-Identity");
    }

    /** Returns options of an agent's JVM that trusts this controller. */
    List<String> trust() {
        return List.of(
                "-Djavax.net.ssl.trustStore=" + trusted, "-Djavax.net.ssl.trustStorePassword=" + Tls.PASSWORD);
    }

    static String url(int port) {
        return "http://127.0.0.1:" + port + "/";
    }

    /** Sets the ports of the root URLs with http and https. */
    void address(int http, int https) throws IOException {
        call("address", Map.of("http", url(http), "https", "https://127.0.0.1:" + https + "/"));
    }

    /**
     * Calls a method of bench.groovy in the controller.
     *
     * @param method name of the method
     * @throws IOException with the controller's stack trace if the method fails
     */
    JsonObject call(String method, Map<String, ?> arguments) throws IOException {
        Map<String, Object> request = new TreeMap<>(arguments);
        request.put("what", method);
        requests.println(new Gson().toJson(request));
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("Jenkins has stopped");
        }
        JsonObject answer = JsonParser.parseString(line).getAsJsonObject();
        if (answer.has("failure")) {
            throw new IOException("Jenkins: " + answer.get("failure").getAsString());
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        JavaProgram.end(process.toHandle());
        temp.close();
    }
}
