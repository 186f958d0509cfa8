package io.jenkins.plugins.compressionaware.provisioning;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** What a fresh agent needs for the engine arrives with it. */
class AgentJarTest extends JenkinsTestBase {
    private static final Pattern LOADED = Pattern.compile(
            "\\] ((?:io\\.jenkins\\.plugins\\.compressionaware|org\\.apache\\.commons\\.(?:compress|io|lang3))\\.[\\w.$]+) source: (.*)");

    /** Core's FilePath brings these, whenever it is first used on an agent. */
    private static final Set<String> OF_CORE =
            Set.of("org.apache.commons.io.input.ProxyInputStream", "org.apache.commons.io.input.CountingInputStream");

    /**
     * What a JVM makes up while it runs, for lambdas and for records that are read from a stream or compared: half a millisecond each, and then what
     * compiles them. A record in {@link UploadCallable} adds about ten for each component.
     */
    private static final Pattern GENERATED = Pattern.compile("\\$\\$Lambda|LambdaForm\\$|Species_");

    private static final int MADE_UP = 75;

    @TempDir
    Path temp;

    @Test
    void nothingIsFetchedClassByClass() throws Exception {
        Path log = temp.resolve("classes");
        transfer(r, log, TransferInfo.Operation.ARCHIVE)
                .archive(
                        Map.of("noise", "noise", "text", "text"),
                        temp.resolve("archive"),
                        GlobalSettings.get().settings());
        List<Matcher> loaded = loadedFrom(log, BootstrapArchiveCallable.class);
        assertAllOfJars(loaded.subList(1, loaded.size()));
        try (Stream<String> lines = Files.lines(log)) {
            long generated = lines.dropWhile(line -> !line.contains(UploadCallable.class.getName()))
                    .takeWhile(line -> !line.contains(Credit.Grant.class.getName()))
                    .filter(line -> GENERATED.matcher(line).find())
                    .count();
            assertTrue(generated > 10 && generated <= MADE_UP, generated + " generated classes");
        }
    }

    /** A stash that is no small one has nothing of a first call. */
    @Test
    void norForAStash() throws Exception {
        Path log = temp.resolve("classes");
        transfer(r, log, TransferInfo.Operation.STASH)
                .storeStash(
                        temp.resolve("stash"),
                        temp.resolve("partial"),
                        new FileSelection.ByPattern(null, null, true),
                        GlobalSettings.get().settings(),
                        sent -> {});
        assertAllOfJars(loadedFrom(log, AgentInfoCallable.class));
    }

    private UploadTransfer transfer(JenkinsRule r, Path log, TransferInfo.Operation kind) throws Exception {
        Slave agent = Agents.TCP.start(agents, r, "-Xlog:class+load:file=" + log);
        Path workspace = Files.createDirectory(temp.resolve("workspace"));
        byte[] noise = FileTrees.noise(6_000_000);
        Files.write(workspace.resolve("noise"), noise);
        Files.writeString(workspace.resolve("text"), "text ".repeat(200_000));
        FilePath remote = new FilePath(agent.getChannel(), workspace.toString());
        // as the steps before have done: core's own classes bring some of commons-io
        assertEquals(2, remote.list().size());
        // core loads JNA once an agent is online, which starts a process: sixteen of what the JVM makes up
        await().until(() -> Files.readString(log).contains("java.lang.ProcessBuilder "));
        return new UploadTransfer(
                remote,
                System.out,
                RunningTransfer.withoutListeners(new TransferInfo(kind, "job", 1, "agent", null, 2, null)));
    }

    private static List<Matcher> loadedFrom(Path log, Class<?> first) throws Exception {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.map(LOADED::matcher)
                    .filter(Matcher::find)
                    .filter(found -> !found.group(1).contains("$$Lambda"))
                    .dropWhile(found -> !found.group(1).equals(first.getName()))
                    .toList();
        }
    }

    private static void assertAllOfJars(List<Matcher> loaded) {
        assertEquals(
                List.of(),
                loaded.stream()
                        .filter(found -> !found.group(2).endsWith(".jar"))
                        .map(found -> found.group(1))
                        .filter(name -> !OF_CORE.contains(name))
                        .toList(),
                "add these to AgentJar, where they are the plugin's own");
        assertTrue(loaded.size() > 50, loaded.size() + " classes");
    }
}
