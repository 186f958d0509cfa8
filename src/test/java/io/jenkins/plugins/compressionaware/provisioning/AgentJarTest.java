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
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.transfer.Transfers;
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

/** A fresh agent gets the classes of the engine in jars. */
class AgentJarTest extends JenkinsTestBase {
    private static final Pattern LOADED = Pattern.compile(
            "\\] ((?:io\\.jenkins\\.plugins\\.compressionaware|org\\.apache\\.commons\\.(?:compress|io|lang3))\\.[\\w.$]+)"
                    + " source: (.*)");

    /** Classes that core's FilePath loads when it is first used on an agent. */
    private static final Set<String> LOADED_BY_CORE =
            Set.of("org.apache.commons.io.input.ProxyInputStream", "org.apache.commons.io.input.CountingInputStream");

    /**
     * Classes that a JVM generates for lambdas and for records that are deserialized or compared, half a millisecond each. A record in {@link UploadCallable}
     * would add about ten per component.
     */
    private static final Pattern GENERATED = Pattern.compile("\\$\\$Lambda|LambdaForm\\$|Species_");

    private static final int MAX_GENERATED = 30;

    @TempDir
    Path temp;

    @Test
    void archiveLoadsNoClassesOneByOne() throws Exception {
        Path log = temp.resolve("classes");
        UploadTransfer transfer = transfer(r, log, TransferInfo.Operation.ARCHIVE);
        Transfers.archive(transfer, Map.of("noise", "noise", "text", "text"), temp.resolve("archive"));
        List<Matcher> loaded = loadedFrom(log, BootstrapArchiveCallable.class);
        assertAllFromJars(loaded.subList(1, loaded.size()));
        try (Stream<String> lines = Files.lines(log)) {
            long generated = lines.dropWhile(line -> !line.contains(UploadCallable.class.getName()))
                    .takeWhile(line -> !line.contains(Credit.class.getName()))
                    .filter(line -> GENERATED.matcher(line).find())
                    .count();
            assertTrue(generated > 0 && generated <= MAX_GENERATED, generated + " generated classes");
        }
    }

    /** A stash that is not small uses no bootstrap call. */
    @Test
    void stashLoadsNoClassesOneByOne() throws Exception {
        Path log = temp.resolve("classes");
        transfer(r, log, TransferInfo.Operation.STASH)
                .storeStash(
                        size -> new FrameFileWriter(
                                temp.resolve("stash"), temp.resolve("partial"), size, Long.MAX_VALUE),
                        new FileSelection.ByPattern(null, null, true),
                        GlobalSettings.get().settings(),
                        sent -> {});
        assertAllFromJars(loadedFrom(log, AgentInfoCallable.class));
    }

    private UploadTransfer transfer(JenkinsRule r, Path log, TransferInfo.Operation operation) throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r, "-Xlog:class+load:file=" + log);
        Path workspace = Files.createDirectory(temp.resolve("workspace"));
        byte[] noise = FileTrees.noise(6_000_000);
        Files.write(workspace.resolve("noise"), noise);
        Files.writeString(workspace.resolve("text"), "text ".repeat(200_000));
        FilePath remote = new FilePath(agent.getChannel(), workspace.toString());
        // earlier steps of a build do this, too: core's own classes load some of commons-io
        assertEquals(2, remote.list().size());
        // core loads JNA once an agent is online, which starts a process and generates sixteen classes
        await().until(() -> Files.readString(log).contains("java.lang.ProcessBuilder "));
        return Transfers.upload(agent.getChannel(), workspace, operation);
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

    private static void assertAllFromJars(List<Matcher> loaded) {
        assertEquals(
                List.of(),
                loaded.stream()
                        .filter(found -> !found.group(2).endsWith(".jar"))
                        .map(found -> found.group(1))
                        .filter(name -> !LOADED_BY_CORE.contains(name))
                        .toList(),
                "add the plugin's own classes to AgentJar");
        assertTrue(loaded.size() > 50, loaded.size() + " classes");
    }
}
