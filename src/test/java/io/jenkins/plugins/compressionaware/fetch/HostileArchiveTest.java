package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.Result;
import hudson.tasks.Fingerprinter;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests archives whose names, links or concurrent changes try to reach files outside. */
class HostileArchiveTest extends FetchTestBase {
    private static final String SECRET = "a secret of the controller";

    private Path archive;
    private Path outside;

    @BeforeEach
    void start() throws Exception {
        start(InboundTransport.TCP);
        outside = Files.createDirectory(r.jenkins.getRootDir().toPath().resolve("outside"));
        write(outside.resolve("file"), SECRET);
        archive = emptyArchive();
    }

    /** Writes a file with a fixed time, so that the time does not reveal a change. */
    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
    }

    @Test
    void fetchKeepsUnusualNames() throws Exception {
        List<String> names = List.of(
                "-rf",
                " x ",
                "...",
                "x../y",
                "a\nb",
                "tab\there",
                "\u001b[31m",
                "A",
                "a",
                "aux",
                "C:x",
                "$HOME",
                "%2e%2e%2fx",
                "<b>&",
                "~",
                "|x",
                ".2f0a7d0e-8d5b-4a3c-9f51-6f4f0a5a5c11.partial/x",
                "n".repeat(255),
                "d/".repeat(150) + "deep");
        for (String name : names) {
            write(archive.resolve(name), name);
        }
        WorkflowRun build = run("fetchArtifacts 'source'");
        r.assertBuildStatus(Result.SUCCESS, build);
        assertEquals(1, fetched());
        assertEquals(FileTrees.describe(archive), workspace(build));
        assertEquals(workspace(run("copyArtifacts 'source'")), workspace(build));
    }

    @Test
    void fetchKeepsLinksAndRefusesLinksOutOfArchive() throws Exception {
        Map<String, String> links = new LinkedHashMap<>();
        links.put("itself", "itself");
        links.put("circle/one", "two");
        links.put("circle/two", "../circle/one");
        links.put("nothing", "missing");
        links.put("nothing-outside", "../../../../missing");
        links.put("absolute-nothing", "/missing/file");
        links.put("inside", "circle/../file");
        for (Map.Entry<String, String> link : links.entrySet()) {
            Path path = archive.resolve(link.getKey());
            Files.createDirectories(path.getParent());
            Files.createSymbolicLink(path, Path.of(link.getValue()));
        }
        write(archive.resolve("file"), "content");
        WorkflowRun copied = run("copyArtifacts 'source'");
        WorkflowRun build = run("fetchArtifacts 'source'");
        assertEquals(copied.getResult(), build.getResult());
        assertEquals(1, fetched());
        assertEquals(workspace(copied), workspace(build));
        List<Change> out = List.of(
                () -> Files.createSymbolicLink(archive.resolve("out"), outside.resolve("file")),
                () -> Files.createSymbolicLink(archive.resolve("out"), Path.of("../../../../../outside/file")),
                () -> Files.createSymbolicLink(archive.resolve("out"), outside));
        for (Change change : out) {
            Files.deleteIfExists(archive.resolve("out"));
            change.make();
            build = run("fetchArtifacts projectName: 'source', filter: '**, out/**, out'");
            assertEquals(0, fetched());
            assertSecretIsKept(build);
        }
    }

    @Test
    void fetchDoesNotFollowSwappedLinks() throws Exception {
        Map<String, Change> changes = new LinkedHashMap<>();
        changes.put("a link for a file", () -> link(archive.resolve("d/file"), outside.resolve("file")));
        changes.put("a link for a folder", () -> link(archive.resolve("d"), outside));
        changes.put("a link for a folder above", () -> link(archive.resolve("e"), outside.getParent()));
        changes.put("a link for the archive", () -> link(archive, outside));
        changes.put("a folder for a file", () -> {
            Files.delete(archive.resolve("d/file"));
            write(archive.resolve("d/file/file"), SECRET);
        });
        changes.put("another file", () -> write(archive.resolve("d/file"), SECRET + "!"));
        for (Map.Entry<String, Change> change : changes.entrySet()) {
            for (String step : List.of(
                    "fetchArtifacts 'source'", "withArtifactTransfer(codec: 'gzip') { fetchArtifacts 'source' }")) {
                archive = emptyArchive();
                write(archive.resolve("d/file"), "x".repeat(SECRET.length()));
                write(archive.resolve("e/outside/file"), "x".repeat(SECRET.length()));
                ChangeAtStart listener = changeAtStart(change.getValue());
                WorkflowRun build = run(step);
                r.jenkins.getExtensionList(TransferListener.class).remove(listener);
                assertTrue(listener.called, change.getKey());
                assertEquals(0, fetched(), change.getKey());
                r.assertLogContains("copied by the Copy Artifact plugin instead", build);
                // Copy Artifact itself follows links that are swapped before it reads, with or without this plugin
                if (build.getResult() != Result.SUCCESS) {
                    assertSecretIsKept(build);
                }
            }
        }
        assertEquals(Map.of(), FileTrees.describe(packed()));
    }

    private void link(Path path, Path to) throws IOException {
        Util.deleteRecursive(path.toFile());
        Files.createSymbolicLink(path, to);
    }

    private void assertSecretIsKept(WorkflowRun build) throws IOException {
        assertNotEquals(Result.SUCCESS, build.getResult());
        Path workspace = Path.of(agent.getWorkspaceFor(build.getParent()).getRemote());
        for (String name : FileTrees.describe(workspace).keySet()) {
            Path path = workspace.resolve(name);
            assertFalse(Files.isRegularFile(path) && Files.readString(path).contains(SECRET), name);
        }
    }

    /** The archive changes after the fetch and before the fingerprint is recorded. */
    @Test
    void fingerprintIsOfFetchedBytes() throws Exception {
        Path file = archive.resolve("x");
        write(file, "what was fetched");
        r.jenkins.getExtensionList(TransferListener.class).add(new TransferListener() {
            @Override
            public void completed(TransferInfo transfer, TransferResult result) {
                try {
                    Files.delete(file);
                    Files.createSymbolicLink(file, outside.resolve("file"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        WorkflowRun build = run("fetchArtifacts projectName: 'source', fingerprintArtifacts: true");
        r.assertBuildStatus(Result.SUCCESS, build);
        assertEquals(1, fetched());
        assertEquals(
                Util.getDigestOf("what was fetched"),
                build.getAction(Fingerprinter.FingerprintAction.class)
                        .getRecords()
                        .get("x"));
    }
}
