package io.jenkins.plugins.compressionaware.staging;

import static io.jenkins.plugins.compressionaware.testkit.Trees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is there already when files come into a workspace. */
class WorkspaceTreeTest {
    @TempDir
    private Path tmp;

    private Path inMemory;

    @AfterEach
    void clean() throws Exception {
        if (inMemory != null) {
            new FileOperations().deleteAll(inMemory);
        }
    }

    private Path old(Path path) throws IOException {
        assertTrue(path.toFile().setLastModified(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(25)));
        return path;
    }

    @Test
    void nothingIsSeenInTheWorkspaceMeanwhile() throws Exception {
        Path workspace = tmp.resolve("workspace");
        try (WorkspaceTree tree = new WorkspaceTree(workspace, "workspace@tmp", false)) {
            Files.writeString(tree.folder().resolve("file"), "");
            assertEquals(List.of(), list(workspace));
            assertEquals(1, list(tmp.resolve("workspace@tmp")).size());
            tree.commit();
        }
        assertEquals(List.of("file"), list(workspace));
        assertEquals(List.of(), list(tmp.resolve("workspace@tmp")));
    }

    @Test
    void whatIsAbandonedIsDeleted() throws Exception {
        Path temp = Files.createDirectory(tmp.resolve("workspace@tmp"));
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.writeString(outside.resolve("file"), "stays");
        Path abandoned = PartialPath.in(temp);
        Files.createDirectories(abandoned.resolve("a/b"));
        Files.writeString(abandoned.resolve("a/b/c"), "half");
        Files.createSymbolicLink(abandoned.resolve("a/link"), outside);
        old(abandoned);
        Path recent = Files.createDirectory(PartialPath.in(temp));
        Path another = old(Files.createDirectory(temp.resolve(".mine.partial")));
        try (WorkspaceTree tree = new WorkspaceTree(tmp.resolve("workspace"), temp.toString(), false)) {
            assertFalse(Files.exists(abandoned));
            assertTrue(Files.exists(recent), "another process may use it");
            assertTrue(Files.exists(another));
            assertTrue(Files.exists(tree.folder()));
        }
        assertEquals("stays", Files.readString(outside.resolve("file")));
    }

    /** As when a machine without a clock of its own hears the time: what began just now is of 1970. */
    @Test
    void theClockJumpsWhileFilesArrive() throws Exception {
        Path workspace = tmp.resolve("workspace");
        try (WorkspaceTree tree = new WorkspaceTree(workspace, "workspace@tmp", false)) {
            Files.writeString(tree.folder().resolve("file"), "");
            old(tree.folder());
            new WorkspaceTree(workspace, "workspace@tmp", false).close();
            tree.commit();
        }
        assertEquals(List.of("file"), list(workspace));
        assertEquals(List.of(), list(tmp.resolve("workspace@tmp")));
    }

    /** What cannot be renamed from there is put together in the workspace. */
    @Test
    void temporaryFolderOnAnotherDisk() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path file = Files.writeString(tmp.resolve("no folder"), "");
        for (String temp : List.of(file.toString(), otherDisk("temp").toString())) {
            try (WorkspaceTree tree = new WorkspaceTree(workspace, temp, false)) {
                assertEquals(workspace, tree.folder().getParent());
                Files.writeString(tree.folder().resolve("file"), temp);
                tree.commit();
            }
            assertEquals(temp, Files.readString(workspace.resolve("file")));
            assertEquals(List.of("file"), list(workspace));
        }
    }

    @Test
    void anotherDiskWithinTheWorkspace() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path other = otherDisk("mounted");
        Files.createDirectories(other.resolve("d/kept"));
        Files.createSymbolicLink(workspace.resolve("mounted"), other);
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, true)) {
            Path into = Files.createDirectory(tree.folder().resolve("mounted"));
            Files.createDirectories(into.resolve("d/new"));
            Files.writeString(into.resolve("d/new/file"), "one");
            Files.writeString(into.resolve("d/file"), "two");
            Files.createSymbolicLink(into.resolve("link"), Path.of("d"));
            tree.commit();
        }
        assertEquals(List.of("file", "kept", "new"), list(other.resolve("d")));
        assertEquals("one", Files.readString(other.resolve("d/new/file")));
        assertEquals(Path.of("d"), Files.readSymbolicLink(other.resolve("link")));
        assertEquals(List.of("d", "link"), list(other));
        assertEquals(List.of("mounted"), list(workspace));
    }

    private Path otherDisk(String name) throws IOException {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(tmp)));
        inMemory = Files.createTempDirectory(memory, "workspace tree");
        return Files.createDirectory(inMemory.resolve(name));
    }

    /** As core, which need not write into the workspace itself. */
    @Test
    void workspaceThatMayNotBeWrittenTo() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path folder = Files.createDirectory(workspace.resolve("folder"));
        assertTrue(workspace.toFile().setWritable(false));
        assumeFalse(Files.isWritable(workspace), "nobody keeps root out");
        try (WorkspaceTree tree = new WorkspaceTree(workspace, "workspace@tmp", false)) {
            Files.writeString(
                    Files.createDirectory(tree.folder().resolve("folder")).resolve("file"), "");
            tree.commit();
        } finally {
            assertTrue(workspace.toFile().setWritable(true));
        }
        assertEquals(List.of("file"), list(folder));
    }

    /** On Windows, where scanners hold what is new. */
    @Test
    void whatIsInUseIsWaitedFor() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        BrokenFiles files = BrokenFiles.at(number -> number < 5);
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, false, files)) {
            Files.writeString(Files.createDirectory(tree.folder().resolve("d")).resolve("file"), "");
            tree.commit();
        }
        assertEquals(List.of("file"), list(workspace.resolve("d")));
        assertEquals(4, files.pauses.size());
    }

    /** The next build may be at work there. */
    @Test
    void anAbortStopsBeforeTheNextRename() throws Exception {
        Path workspace = Files.createDirectories(tmp.resolve("workspace/d/e"))
                .resolve("../..")
                .normalize();
        for (int n = 0; n < 8; n++) {
            int last = n;
            BrokenFiles files = BrokenFiles.at(number -> {
                if (number == last) {
                    Thread.currentThread().interrupt();
                }
                return false;
            });
            try (WorkspaceTree tree = new WorkspaceTree(workspace, "workspace@tmp", false, files)) {
                for (String name : List.of("a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "d/e/c")) {
                    Trees.write(tree.folder(), name, "of " + n);
                }
                if (n == 0 || n == 7) {
                    tree.commit();
                    assertEquals(n == 7, Thread.interrupted(), "heeded by whoever waits next");
                } else {
                    InterruptedException stopped = assertThrows(InterruptedException.class, tree::commit);
                    assertFalse(Thread.interrupted());
                    assertStopped(workspace, "of " + n, n, stopped.getMessage());
                }
            }
            assertEquals(n == 0 ? 7 : n, files.renames);
            assertEquals(List.of(), list(tmp.resolve("workspace@tmp")));
        }
    }

    /** Each new file is told, and whatever is not new is, or the folder above it. */
    private static void assertStopped(Path workspace, String content, int moved, String message) throws IOException {
        assertTrue(message.startsWith("Interrupted. Missing, or as it was before: "), message);
        String[] told = message.substring(message.indexOf("before: ") + 8).split("[.] Has arrived: ");
        List<String> missing = List.of(told[0].split(", "));
        int arrived = 0;
        for (String name : List.of("a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "d/e/c")) {
            boolean isNew = Files.readString(workspace.resolve(name)).equals(content);
            arrived += isNew ? 1 : 0;
            assertEquals(isNew, List.of(told[1].split(", ")).contains(name), message);
            assertEquals(!isNew, missing.stream().anyMatch(each -> (name + "/").startsWith(each + "/")), message);
        }
        assertEquals(moved, arrived, message);
    }

    @Test
    void whatCannotBeDeletedAfterTheCommitIsNoFailure() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        FileOperations files = new FileOperations() {
            @Override
            void delete(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
        try (WorkspaceTree tree = new WorkspaceTree(workspace, "workspace@tmp", false, files)) {
            Files.writeString(tree.folder().resolve("file"), "");
            tree.commit();
        }
        assertEquals(List.of("file"), list(workspace));
    }

    @Test
    void whatIsReadOnlyIsReplaced() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path there = Files.writeString(workspace.resolve("a"), "old");
        assertTrue(there.toFile().setReadOnly());
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, false)) {
            Files.writeString(tree.folder().resolve("a"), "new");
            tree.commit();
        }
        assertEquals("new", Files.readString(there));
        assertEquals(1, workspace.toFile().list().length);
    }

    /** As core on an agent, from 2.555.3 on. */
    @Test
    void linksThatWereThereAreFollowedIfCoreDoes() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path outside = Files.createDirectories(tmp.resolve("outside/deep")).getParent();
        Files.createSymbolicLink(workspace.resolve("d"), Path.of("again"));
        Files.createSymbolicLink(workspace.resolve("again"), outside);
        Files.createSymbolicLink(workspace.resolve("dangling"), Path.of("d/../outside/new"));
        Files.createSymbolicLink(workspace.resolve("lost"), Path.of("nowhere/new"));
        for (boolean follow : new boolean[] {false, true}) {
            try (WorkspaceTree tree = new WorkspaceTree(workspace, null, follow)) {
                Files.createDirectories(tree.folder().resolve("d/deep/new"));
                Files.writeString(tree.folder().resolve("d/deep/file"), "deep");
                Files.writeString(tree.folder().resolve("dangling"), "here");
                if (follow) {
                    tree.commit();
                } else {
                    assertThrows(IOException.class, tree::commit);
                    assertEquals(0, outside.resolve("deep").toFile().list().length);
                }
            }
        }
        assertEquals("deep", Files.readString(outside.resolve("deep/file")));
        assertTrue(Files.isDirectory(outside.resolve("deep/new")));
        assertEquals("here", Files.readString(outside.resolve("new")));
        assertTrue(Files.isSymbolicLink(workspace.resolve("d")));
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, true)) {
            Files.writeString(tree.folder().resolve("lost"), "");
            assertEquals(
                    "lost is a link that leads nowhere",
                    assertThrows(IOException.class, tree::commit).getMessage());
        }
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, true)) {
            Files.createDirectory(tree.folder().resolve("dangling"));
            assertThrows(IOException.class, tree::commit);
        }
    }

    /** As core, whose search for links ends at the target itself. */
    @Test
    void aTargetThatIsALinkIsFollowedWhateverCoreDoesBelow() throws Exception {
        Path elsewhere = Files.createDirectories(tmp.resolve("elsewhere/d")).getParent();
        Files.writeString(elsewhere.resolve("file"), "old");
        Files.createSymbolicLink(tmp.resolve("again"), elsewhere);
        Path link = Files.createSymbolicLink(tmp.resolve("link"), Path.of("again"));
        for (boolean follow : new boolean[] {false, true}) {
            for (String temp : new String[] {null, "link@tmp"}) {
                String content = follow + " " + temp;
                try (WorkspaceTree tree = new WorkspaceTree(link, temp, follow)) {
                    Files.writeString(tree.folder().resolve("file"), content);
                    Files.writeString(
                            Files.createDirectory(tree.folder().resolve("d")).resolve("file"), "");
                    tree.commit();
                }
                assertEquals(content, Files.readString(elsewhere.resolve("file")));
                assertEquals(List.of("d", "file"), list(elsewhere));
                assertEquals(List.of("file"), list(elsewhere.resolve("d")));
            }
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(List.of("again", "elsewhere", "link", "link@tmp"), list(tmp));
    }

    /** Whatever comes first: where a link leads is known before anything moves. */
    @Test
    void noLinkThatComesIsWrittenThrough() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.createDirectory(workspace.resolve("inside"));
        Files.createSymbolicLink(workspace.resolve("m"), Path.of("inside"));
        try (WorkspaceTree tree = new WorkspaceTree(workspace, null, true)) {
            Files.createSymbolicLink(tree.folder().resolve("m"), outside);
            Files.createSymbolicLink(tree.folder().resolve("file"), outside.resolve("file"));
            for (int i = 0; i < 20; i++) {
                // before and after the links, in whatever order the disk has them
                Files.createSymbolicLink(workspace.resolve("d" + i), Path.of("m"));
                Files.createSymbolicLink(workspace.resolve("f" + i), Path.of("file"));
                Files.createDirectory(tree.folder().resolve("d" + i));
                Files.writeString(tree.folder().resolve("d" + i + "/" + i), "");
                Files.writeString(tree.folder().resolve("f" + i), "");
            }
            tree.commit();
        }
        assertEquals(0, outside.toFile().list().length);
        assertEquals(20, workspace.resolve("inside").toFile().list().length);
        assertEquals(outside, Files.readSymbolicLink(workspace.resolve("m")));
    }
}
