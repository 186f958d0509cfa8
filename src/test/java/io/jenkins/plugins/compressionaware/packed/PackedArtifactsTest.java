package io.jenkins.plugins.compressionaware.packed;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.cli.CLICommandInvoker;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.ui.TransfersManagementLink;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import jenkins.model.Jenkins;
import jenkins.util.VirtualFile;
import org.htmlunit.html.HtmlForm;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Packed artifacts from an agent, in another process, and everything of Jenkins that reads them. */
class PackedArtifactsTest extends JenkinsTestBase {
    private Slave agent;
    private FreeStyleProject job;
    private Path workspace;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
        pack(true);
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        workspace = workspaceOf(agent, job);
    }

    /** Sets whether the next builds pack their artifacts. */
    void pack(boolean on) throws Exception {
        factory.setStorage(on ? "packed" : "files");
    }

    private FreeStyleBuild build() throws Exception {
        return r.buildAndAssertSuccess(job);
    }

    private static Set<String> names(Run<?, ?> build) {
        return build.getArtifacts().stream()
                .map(artifact -> artifact.relativePath)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private byte[] get(Run<?, ?> build, String path, String range) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) new URL(r.getURL(), build.getUrl() + path).openConnection();
        if (range != null) {
            connection.setRequestProperty("Range", range);
        }
        assertEquals(range == null ? 200 : 206, connection.getResponseCode(), path);
        try (InputStream in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }

    @Test
    void jenkinsReadsThemLikeFiles() throws Exception {
        byte[] noise = FileTrees.noise(3_000_000);
        FileTrees.write(workspace, "logs/a.txt", "text ".repeat(10_000));
        FileTrees.write(workspace, "logs/deep/er/b.txt", "b");
        Files.write(workspace.resolve("noise.bin"), noise);
        FreeStyleBuild build = build();
        assertEquals(List.of("packed-artifacts"), FileTrees.list(archiveOf(build)));
        assertTrue(
                build.getLog().matches("(?s).*\\nArtifacts: 3 files, .*; stored in 3\\.00 MB \\(98%\\).*"),
                build.getLog());
        assertEquals(Set.of("logs/a.txt", "logs/deep/er/b.txt", "noise.bin"), names(build));
        assertArrayEquals(noise, get(build, "artifact/noise.bin", null));
        assertArrayEquals(
                Arrays.copyOfRange(noise, 2_000_000, 2_000_010),
                get(build, "artifact/noise.bin", "bytes=2000000-2000009"));
        assertTrue(new String(get(build, "artifact/logs/", null)).contains("a.txt"));
        assertTrue(new String(get(build, "api/json", null)).contains("logs/deep/er/b.txt"));
        assertEquals(
                Map.of(
                        "archive/logs/a.txt",
                        50_000L,
                        "archive/logs/deep/er/b.txt",
                        1L,
                        "archive/noise.bin",
                        3_000_000L),
                zipped(get(build, "artifact/*zip*/archive.zip", null)));
        assertEquals(Map.of("b.txt", 1L), zipped(get(build, "artifact/logs/deep/er/**/*zip*/x.zip", null)));
        build.keepLog(true);
        build.keepLog(false);
        Path archive = archiveOf(build);
        build.delete();
        assertFalse(Files.exists(archive));
    }

    private static Map<String, Long> zipped(byte[] zip) throws Exception {
        Map<String, Long> entries = new java.util.HashMap<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), (long) in.readAllBytes().length);
            }
        }
        return entries;
    }

    /**
     * Core's answers about the same files are the oracle, but for a backslash in a name: core lists a slash instead, and then cannot open the file. No link
     * leads to a folder, because Ant follows such a link, without end if its name has a backslash.
     */
    @Test
    void answersLikeCore() throws Exception {
        for (int seed = 1; seed <= 4; seed++) {
            FileTrees.delete(workspace);
            RandomTree.create(workspace, seed);
            RandomTree.deleteLinksToFolders(workspace, 0);
            pack(true);
            FreeStyleBuild packed = build();
            pack(false);
            FreeStyleBuild files = build();
            VirtualFile actual = packed.getArtifactManager().root();
            VirtualFile expected = files.getArtifactManager().root();
            assertEquals(names(files), names(packed));
            assertSame("", expected, actual);
            for (String pattern : List.of("**", "**/*a*", "*")) {
                Set<String> listed = new TreeSet<>();
                for (String name : actual.list(pattern, null, true)) {
                    listed.add(name.replace('\\', '/'));
                }
                assertEquals(new TreeSet<>(expected.list(pattern, null, true)), listed);
            }
        }
    }

    private static void assertSame(String path, VirtualFile expected, VirtualFile actual) throws Exception {
        assertEquals(expected.getName(), actual.getName(), path);
        assertEquals(expected.exists(), actual.exists(), path);
        assertEquals(expected.isFile(), actual.isFile(), path);
        assertEquals(expected.isDirectory(), actual.isDirectory(), path);
        assertEquals(expected.canRead(), actual.canRead(), path);
        if (expected.isFile()) {
            assertEquals(expected.length(), actual.length(), path);
            assertEquals(expected.lastModified(), actual.lastModified(), path);
            assertEquals(expected.mode(), actual.mode(), path);
            try (InputStream a = expected.open();
                    InputStream b = actual.open()) {
                assertArrayEquals(a.readAllBytes(), b.readAllBytes(), path);
            }
        }
        if (expected.isDirectory() && path.chars().filter(c -> c == '/').count() < 5) {
            Set<String> children =
                    Arrays.stream(expected.list()).map(VirtualFile::getName).collect(Collectors.toSet());
            assertEquals(
                    children,
                    Arrays.stream(actual.list()).map(VirtualFile::getName).collect(Collectors.toSet()),
                    path);
            for (String child : children) {
                assertSame(path + '/' + child, expected.child(child), actual.child(child));
            }
        }
    }

    /** The build's page has the stored size, as the build log. The administrator's page has the sum of both periods, and of the job. */
    @Test
    void pagesShowWhatPackingSaved() throws Exception {
        FileTrees.write(workspace, "a.txt", "text ".repeat(800_000));
        Files.write(workspace.resolve("noise"), FileTrees.noise(1_000_000));
        Matcher logged = Pattern.compile("; stored in (\\S+ .?B \\(\\d+%\\))").matcher(build().getLog());
        assertTrue(logged.find());
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            String page = client.getPage(job.getLastBuild(), "artifact-transfers/")
                    .getWebResponse()
                    .getContentAsString();
            assertTrue(page.contains("Stored, packed") && page.contains(logged.group(1)), page);
            String overview =
                    client.goTo("manage/artifact-transfers/").getWebResponse().getContentAsString();
            assertEquals(3, overview.split("\\d MB saved by packing", -1).length - 1, overview);
            long saved = client.getJSON("manage/artifact-transfers/api/json")
                    .getJSONObject()
                    .getJSONObject("lastWeek")
                    .getLong("packedBytes");
            assertTrue(saved > 3_900_000 && saved < 4_000_000, saved + "");
        }
    }

    @Test
    void laterStepsAreMerged() throws Exception {
        var pipeline = pipeline(
                "node('" + agent.getNodeName() + "') { writeFile file: 'a', text: '1'; writeFile file: 'd/b', text:"
                        + " '1'; archiveArtifacts '**'; writeFile file: 'a', text: '2';"
                        + " archiveArtifacts 'a' }\n"
                        + "node('built-in') { writeFile file: 'd/c', text: '3';"
                        + " archiveArtifacts 'd/c'; unarchive mapping: ['**': 'out']; echo"
                        + " 'read ' + readFile('out/a') + readFile('out/d/b') +"
                        + " readFile('out/d/c') }");
        WorkflowRun build = r.buildAndAssertSuccess(pipeline);
        r.assertLogContains("read 213", build);
        assertEquals(Set.of("a", "d/b", "d/c"), names(build));
        assertEquals(
                List.of("1.tar.zst", "2.tar.zst"),
                FileTrees.list(archiveOf(build).resolve("packed-artifacts")));
    }

    @Test
    void copiedToAnotherBuild() throws Exception {
        FileTrees.write(workspace, "d/a", "content");
        build();
        var copying = pipeline("node('" + agent.getNodeName() + "') {"
                + " copyArtifacts projectName: '" + job.getName() + "'; echo 'first ' + readFile('d/a'); deleteDir();"
                + " fetchArtifacts projectName: '" + job.getName() + "'; echo 'second ' + readFile('d/a') }");
        WorkflowRun build = r.buildAndAssertSuccess(copying);
        r.assertLogContains("first content", build);
        r.assertLogContains("second content", build);
        r.assertLogNotContains("The artifacts are packed.", build);
    }

    /** The stored frames of all steps are sent in their order, or those of one step that have a part. With links, the Copy Artifact plugin copies. */
    @Test
    void fetchedAsStored(@TempDir Path tree) throws Exception {
        var source = pipeline("node('" + agent.getNodeName() + "') { deleteDir(); writeFile file: 'a', text: 'old';"
                + " writeFile file: 'd/b', text: 'kept'; archiveArtifacts '**'; writeFile file: 'a', text: 'new';"
                + " archiveArtifacts 'a' }");
        WorkflowRun sourceBuild = r.buildAndAssertSuccess(source);
        var fetching = pipeline("node('" + agent.getNodeName() + "') { deleteDir(); fetchArtifacts '" + source.getName()
                + "'; echo readFile('a') + ' ' + readFile('d/b'); deleteDir();"
                + " fetchArtifacts projectName: '" + source.getName() + "', filter: 'd/**';"
                + " echo 'part ' + readFile('d/b') + fileExists('a') }");
        String log = JenkinsRule.getLog(r.buildAndAssertSuccess(fetching));
        assertEquals(3, log.split("\nFetch ", -1).length - 1, log);
        assertTrue(log.contains("\nnew kept\n") && log.contains("part keptfalse"), log);
        assertFalse(log.contains("The artifacts are packed."), log);

        FileTrees.write(tree, "z", "linked");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("z"));
        Packed.archive(tree, archiveOf(sourceBuild));
        log = JenkinsRule.getLog(r.buildAndAssertSuccess(pipeline("node('" + agent.getNodeName()
                + "') { deleteDir(); fetchArtifacts '" + source.getName() + "'; echo 'read ' + readFile('link') }")));
        assertTrue(log.contains("The artifacts are packed.") && log.contains("read linked"), log);
    }

    @Test
    void administratorTurnsThemIntoFiles() throws Exception {
        FileTrees.write(workspace, "d/a", "content");
        FreeStyleBuild build = build();
        HtmlForm form = r.createWebClient().goTo("manage/artifact-transfers").getFormByName("unpack");
        form.getInputByName("job").setValue(job.getFullName());
        r.submit(form);
        TransfersManagementLink page = ExtensionList.lookupSingleton(TransfersManagementLink.class);
        await().until(() -> page.getUnpacking().lines().contains(job.getFullName() + ": done"));
        assertEquals("content", Files.readString(archiveOf(build).resolve("d/a")));
        assertEquals(List.of("d"), FileTrees.list(archiveOf(build)));
        permit(Map.of("reader", List.of(Jenkins.READ, Jenkins.SYSTEM_READ)));
        assertEquals(200, get(login("reader"), "manage/artifact-transfers"));
        assertEquals(403, post(login("reader"), "manage/artifact-transfers/unpack"));
    }

    @Test
    void commandTurnsThemIntoFiles() throws Exception {
        RandomTree.create(workspace, 5);
        RandomTree.deleteLinksToFolders(workspace, 0);
        Files.write(workspace.resolve("noise"), FileTrees.noise(13_000_000));
        pack(false);
        Map<String, String> files = FileTrees.describe(archiveOf(build()));
        pack(true);
        FreeStyleBuild build = build();
        Set<String> before = names(build);
        CLICommandInvoker.Result result =
                new CLICommandInvoker(r, "unpack-artifacts").invokeWithArgs(job.getFullName());
        assertEquals(0, result.returnCode(), result.stderr());
        assertTrue(result.stdout().contains("unpacked"), result.stdout());
        assertEquals(files, FileTrees.describe(archiveOf(build)));
        assertEquals(before, names(build));
        assertFalse(new File(archiveOf(build).toFile(), "packed-artifacts").exists());
    }
}
