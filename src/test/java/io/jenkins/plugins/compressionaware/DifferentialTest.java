package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.Launcher;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.model.StreamBuildListener;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.packed.Unpacker;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jenkins.model.ArtifactManager;
import jenkins.model.StandardArtifactManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives the same files with core and with the plugin, and compares the archives. */
class DifferentialTest extends JenkinsTestBase {
    private static final int ROUNDS = 40;

    @ParameterizedTest
    @ValueSource(strings = {"files", "packed"})
    void archivesOfRandomTreesMatchCore(String storage) throws Exception {
        factory.setStorage(storage);
        usePlugin();
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        FreeStyleProject job = r.createFreeStyleProject();
        Launcher launcher = agent.createLauncher(QUIET);
        int secondArchives = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            factory.setCodec(Codec.values()[seed % Codec.values().length].symbol());
            FreeStyleBuild coreBuild = r.buildAndAssertSuccess(job);
            FreeStyleBuild pluginBuild = r.buildAndAssertSuccess(job);
            var core = new StandardArtifactManager(coreBuild);
            CompressionAwareArtifactManager plugin = new CompressionAwareArtifactManager(pluginBuild);
            FilePath first = tree(agent, 2L * seed);
            archive(core, first, launcher);
            archive(plugin, first, launcher);
            assertEquals(treeOf(coreBuild), treeOf(pluginBuild), "seed " + seed);

            // names are short, so that both trees share some of them
            FilePath second = tree(agent, 2L * seed + 1);
            try {
                archive(core, second, launcher);
            } catch (IOException e) {
                continue;
            }
            try {
                archive(plugin, second, launcher);
            } catch (IOException e) {
                // core writes through a link of the first archive, or replaces it
                assertTrue(storage.equals("packed") && e.getMessage().contains("no folder"), e.toString());
                continue;
            }
            assertEquals(treeOf(coreBuild), treeOf(pluginBuild), "second archive, seed " + seed);
            secondArchives++;
        }
        assertTrue(secondArchives > ROUNDS / 2, "core itself refused " + (ROUNDS - secondArchives));
    }

    @Test
    void linkReplacesOnlyEmptyFolder() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FilePath workspace = agent.getRootPath().child("links");
        Launcher launcher = agent.createLauncher(QUIET);
        FreeStyleProject job = r.createFreeStyleProject();
        FreeStyleBuild coreBuild = r.buildAndAssertSuccess(job);
        FreeStyleBuild pluginBuild = r.buildAndAssertSuccess(job);
        workspace.child("full/file").write("1", "UTF-8");
        workspace.child("other").write("1", "UTF-8");
        for (FreeStyleBuild build : List.of(coreBuild, pluginBuild)) {
            ArtifactManager manager = manager(build, coreBuild);
            archive(manager, workspace, launcher);
            Files.createDirectory(archiveOf(build).resolve("empty"));
        }
        workspace.child("full").deleteRecursive();
        workspace.child("full").symlinkTo("elsewhere", QUIET);
        workspace.child("empty").symlinkTo("elsewhere", QUIET);
        workspace.child("other").write("2", "UTF-8");
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        for (FreeStyleBuild build : List.of(coreBuild, pluginBuild)) {
            Map<String, String> files = Map.of("full", "full", "empty", "empty", "other", "other");
            manager(build, coreBuild)
                    .archive(workspace, launcher, new StreamBuildListener(log, StandardCharsets.UTF_8), files);
        }
        assertEquals(treeOf(coreBuild), treeOf(pluginBuild));
        assertEquals("1", Files.readString(archiveOf(pluginBuild).resolve("full/file")));
        assertTrue(Files.isSymbolicLink(archiveOf(pluginBuild).resolve("empty")));
        assertTrue(log.toString(StandardCharsets.UTF_8).contains("a non-empty folder is in its place. It is full"));
    }

    /**
     * Core resolves each value relative to the workspace, archives a folder without its content, and accepts a missing
     * listener. Runs with bootstrap calls, then with the engine.
     */
    @ParameterizedTest
    @CsvSource({"auto, files", "zstd, files", "zstd, packed"})
    void unusualPathsOfOtherPluginsMatchCore(String codec, String storage) throws Exception {
        factory.setCodec(codec);
        factory.setStorage(storage);
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FilePath workspace = agent.getRootPath().child("values");
        Files.writeString(Path.of(agent.getRootPath().getRemote()).resolve("outside"), "outside");
        workspace.child("target/classes/a").write("1", "UTF-8");
        workspace.child("sub/report.html").write("2", "UTF-8");
        workspace.child(workspace.getRemote().substring(1) + "/sub/x").write("3", "UTF-8");
        Map<String, String> files = Map.of(
                "report.html", "/sub/report.html",
                "again", "//sub//report.html",
                "dots", "./sub/../sub/report.html",
                "classes", "target/classes",
                "above", "../outside",
                "x", workspace.getRemote() + "/sub/x");
        FreeStyleProject job = r.createFreeStyleProject();
        for (FilePath folder : List.of(workspace, new FilePath(new File(workspace.getRemote())))) {
            FreeStyleBuild coreBuild = r.buildAndAssertSuccess(job);
            FreeStyleBuild pluginBuild = r.buildAndAssertSuccess(job);
            Launcher launcher = agent.createLauncher(QUIET);
            for (FreeStyleBuild build : List.of(coreBuild, pluginBuild)) {
                manager(build, coreBuild).archive(folder, launcher, null, files);
            }
            assertEquals(treeOf(coreBuild), treeOf(pluginBuild));
            assertEquals("2", Files.readString(archiveOf(coreBuild).resolve("report.html")));
        }
    }

    private static ArtifactManager manager(FreeStyleBuild build, FreeStyleBuild coreBuild) {
        return build == coreBuild ? new StandardArtifactManager(build) : new CompressionAwareArtifactManager(build);
    }

    private static FilePath tree(Slave agent, long seed) throws IOException {
        FilePath workspace = agent.getRootPath().child("tree" + seed);
        RandomTree.create(Path.of(workspace.getRemote()), seed);
        return workspace;
    }

    private void archive(ArtifactManager manager, FilePath workspace, Launcher launcher) throws Exception {
        Map<String, String> files = new TreeMap<>(FileTrees.names(Path.of(workspace.getRemote())));
        // core asserts that no name has a backslash
        files.keySet().removeIf(name -> name.contains("\\"));
        manager.archive(workspace, launcher, QUIET, files);
    }

    /** Describes the artifacts of a build as files, which packed ones become. */
    private static Map<String, String> treeOf(FreeStyleBuild build) throws IOException {
        Path archive = archiveOf(build);
        Path packed = archive.resolve(PackedArchive.FOLDER);
        if (!Files.exists(packed)) {
            return FileTrees.describe(archive);
        }
        Path unpacked = Files.createTempDirectory("unpacked");
        try {
            Unpacker.unpack(archive, unpacked);
            return FileTrees.describe(unpacked);
        } finally {
            FileTrees.delete(unpacked);
        }
    }
}
