package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.AbortException;
import hudson.EnvVars;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.model.StreamBuildListener;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManager;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests stashes of one build, from an agent and back. */
class StashTest extends JenkinsTestBase {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final TaskListener listener = new StreamBuildListener(log, StandardCharsets.UTF_8);
    private Slave agent;
    private FreeStyleBuild build;
    private FilePath workspace;

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.WEBSOCKET.start(agents, r);
        FreeStyleProject job = r.createFreeStyleProject("job");
        build = r.buildAndAssertSuccess(job);
        workspace = agent.getRootPath().child("here");
        workspace.mkdirs();
    }

    private void stash(String name) throws Exception {
        Launcher launcher = agent.createLauncher(listener);
        StashManager.stash(build, name, workspace, launcher, new EnvVars(), listener, null, null, true, false);
    }

    private void unstash(String name) throws Exception {
        StashManager.unstash(build, name, workspace, agent.createLauncher(listener), new EnvVars(), listener);
    }

    /** Stashes a file {@code a} with the content {@code 1}. */
    private void stashOne() throws Exception {
        workspace.child("a").write("1", null);
        stash("x");
    }

    private void assertUnstashed(String content) throws Exception {
        workspace.deleteContents();
        unstash("x");
        assertEquals(content, workspace.child("a").readToString());
    }

    private Path stored(String file) {
        return build.getRootDir().toPath().resolve("stashes").resolve(file);
    }

    private Map<String, String> files() throws IOException {
        return FileTrees.describe(Path.of(workspace.getRemote()));
    }

    private void noise(String name, int length) throws Exception {
        FileTrees.noise(Path.of(workspace.child(name).getRemote()), length);
    }

    @Test
    void stashAndUnstashUseDirectLane() throws Exception {
        usePlugin();
        factory.setDirectLane("required");
        factory.setCodec("zstd"); // with auto, an agent that answers slowly gets a stash of noise repacked
        noise("a", 30_000_000);
        noise("b", 3);
        Map<String, String> before = files();
        stash("x");
        workspace.deleteContents();
        unstash("x");
        assertEquals(before, files());
        String output = log.toString(StandardCharsets.UTF_8);
        assertTrue(
                output.matches("(?s).*\\n"
                        + "Stash x: 2 files, .*; direct HTTP 3.*\\n"
                        + "Unstash x: 2 files, .*; as stored; .*direct HTTP 3.*"),
                output);
    }

    @Test
    void controllerStashIsLoggedAndReported() throws Exception {
        usePlugin();
        workspace = new FilePath(r.jenkins.getRootDir()).child("here");
        workspace.child("d/a").write("a".repeat(100_000), null);
        RecordingTransferListener recorder = RecordingTransferListener.listen();
        stash("x");
        workspace.deleteContents();
        unstash("x");
        assertEquals(100_000, workspace.child("d/a").readToString().length());
        String output = log.toString(StandardCharsets.UTF_8);
        assertTrue(
                output.matches("(?s).*\\nStash x: 1 file, 100 kB in .*, [0-9.]+ k?B sent [^;]*; zstd 4.*"
                        + "\\nUnstash x: 1 file, 100 kB in .*, [0-9.]+ k?B sent [^;]*; as stored.*"),
                output);
        assertEquals(
                List.of(TransferInfo.Operation.STASH, TransferInfo.Operation.UNSTASH),
                recorder.started.stream().map(TransferInfo::operation).toList());
        assertEquals("(built-in)", recorder.started.get(0).agent());
        assertEquals(2, recorder.completed.size());
        long wire = FrameFile.open(stored("x.tar.zst")).wireBytes();
        for (TransferResult result : recorder.completed) {
            assertEquals(100_000, result.rawBytes);
            assertEquals(wire, result.wireBytes);
            assertEquals(0, result.channelBytes + result.directBytes);
        }
        Files.write(stored("x.tar.zst"), new byte[100]);
        assertThrows(IOException.class, () -> unstash("x"));
        workspace.deleteContents();
        assertThrows(AbortException.class, () -> stash("x"));
        assertEquals(1, recorder.failed.size(), "a damaged file is found before the transfer starts");
    }

    @Test
    void stashUsesConfiguredCodec() throws Exception {
        usePlugin();
        factory.setCodec("gzip");
        workspace.child("a").write("a".repeat(100_000), null);
        stash("x");
        assertEquals(0x1f, Files.readAllBytes(stored("x.tar.zst"))[0]);
        factory.setCodec("zstd");
        stash("x");
        assertTrue(log.toString(StandardCharsets.UTF_8).contains("; zstd 3"), log.toString(StandardCharsets.UTF_8));
    }

    /** Over 10 Mbit/s, core's gzip would send a fifth as many bytes. The stored file stays unchanged. */
    @ParameterizedTest
    @CsvSource({"800, auto, zstd 6", "1, auto, as stored", "800, none, as stored"})
    void unstashOverSlowLinkIsRepacked(double nanosPerByte, String codec, String expected) throws Exception {
        usePlugin();
        factory.setCodec("none");
        workspace.child("a").write("It is a truth universally acknowledged. ".repeat(100_000), null);
        Map<String, String> before = files();
        stash("x");
        long stored = Files.size(stored("x.tar.zst"));
        workspace.deleteContents();
        factory.setCodec(codec);
        AgentProfile.of(workspace, build.getParent().getFullName()).put(AgentProfile.Property.DOWNLINK, nanosPerByte);
        unstash("x");
        assertEquals(before, files());
        String output = log.toString(StandardCharsets.UTF_8);
        assertTrue(
                output.matches(
                        "(?s).*\\nUnstash x: 1 file, 4.00 MB in .*, [0-9.]+ k?M?B sent [^;]*; " + expected + ".*"),
                output);
        assertEquals(stored, Files.size(stored("x.tar.zst")));
        assertEquals(List.of(), FileTrees.list(StartupCleanup.homeFolder("packed")));
    }

    @Test
    void coreStashIsReadAndReplaced() throws Exception {
        stashOne();
        assertTrue(Files.exists(stored("x.tar.gz")));
        usePlugin();
        assertUnstashed("1");
        workspace.child("a").write("2", null);
        stash("x");
        assertTrue(log.toString(StandardCharsets.UTF_8).contains("Warning: overwriting stash ‘x’"));
        assertFalse(Files.exists(stored("x.tar.gz")));
        assertUnstashed("2");
    }

    @Test
    void emptyStashFailsAndKeepsExistingStash() throws Exception {
        usePlugin();
        stashOne();
        workspace.deleteContents();
        assertThrows(AbortException.class, () -> stash("x"));
        unstash("x");
        assertEquals("1", workspace.child("a").readToString());
        assertEquals(1, Files.list(stored("x.tar.zst").getParent()).count());
    }

    @Test
    void damagedBlockIsNamedAndNotWritten() throws Exception {
        usePlugin();
        factory.setCodec("none");
        noise("a", 3_000_000);
        byte[] content = Files.readAllBytes(Path.of(workspace.child("a").getRemote()));
        stash("x");
        damageStash(1_000_000);
        workspace.child("a").write("old", null);
        String message = assertThrows(IOException.class, () -> unstash("x")).getMessage();
        assertTrue(
                message.matches("The stash x could not be unpacked in .*: .*a.*block 3 was damaged \\(wrong"
                        + " checksum\\).*x\\.tar\\.zst.*The stash is"
                        + " damaged on the controller's disk.*troubleshooting\\.md#damaged-on-disk\\)"),
                message);
        byte[] written = Files.readAllBytes(Path.of(workspace.child("a").getRemote()));
        assertArrayEquals(Arrays.copyOf(content, written.length), written);
        assertTrue(written.length < 1_000_000, written.length + " bytes");
    }

    /** A small stash is sent with one call; no network is involved on the controller. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damageOnDiskHasRowOfItsOwn(boolean onController) throws Exception {
        usePlugin();
        factory.setCodec("none");
        if (onController) {
            workspace = new FilePath(r.jenkins.getRootDir()).child("here");
            workspace.mkdirs();
        }
        noise("a", 300_000);
        stash("x");
        damageStash(150_000);
        String message = assertThrows(IOException.class, () -> unstash("x")).getMessage();
        assertTrue(message.contains("The stash is damaged on the controller's disk."), message);
        assertTrue(message.endsWith("troubleshooting.md#damaged-on-disk)"), message);
    }

    private void damageStash(int position) throws IOException {
        byte[] bytes = Files.readAllBytes(stored("x.tar.zst"));
        bytes[position] ^= 1;
        Files.write(stored("x.tar.zst"), bytes);
    }

    @Test
    void excludedAgentStashesInCoreFormat() throws Exception {
        usePlugin();
        factory.setExcludedLabels(agent.getNodeName());
        stashOne();
        assertTrue(Files.exists(stored("x.tar.gz")));
        assertUnstashed("1");
    }

    @Test
    void copyForCoreBuildIsInCoreFormat() throws Exception {
        usePlugin();
        stashOne();
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
        FreeStyleBuild other = r.buildAndAssertSuccess((FreeStyleProject) build.getParent());
        Jenkins.get()
                .getExtensionList(StashManager.CopyStashesAndArtifacts.class)
                .get(0)
                .copy(build, other, listener);
        build = other;
        assertUnstashed("1");
    }

    @Test
    void savedManagerNamesNoPipelineClass() throws Exception {
        usePlugin();
        stashOne();
        String xml = Files.readString(build.getRootDir().toPath().resolve("build.xml"));
        assertTrue(xml.contains("resolves-to=\"" + CompressionAwareArtifactManager.class.getName() + '"'), xml);
        build.reload();
        assertInstanceOf(StashManager.StashAwareArtifactManager.class, build.getArtifactManager());
    }
}
