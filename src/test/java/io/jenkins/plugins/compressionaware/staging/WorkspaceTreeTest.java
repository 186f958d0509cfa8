package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is there already when files come into a workspace. */
class WorkspaceTreeTest {
    @TempDir
    private Path tmp;

    private Path old(Path path) throws IOException {
        assertTrue(path.toFile().setLastModified(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(25)));
        return path;
    }

    @Test
    void whatIsAbandonedIsDeleted() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.writeString(outside.resolve("file"), "stays");
        Path abandoned = workspace.resolve(".unstash-" + UUID.randomUUID());
        Files.createDirectories(abandoned.resolve("a/b"));
        Files.writeString(abandoned.resolve("a/b/c"), "half");
        Files.createSymbolicLink(abandoned.resolve("a/link"), outside);
        old(abandoned);
        Path recent = Files.createDirectory(workspace.resolve(".unstash-" + UUID.randomUUID()));
        Path another = old(Files.createDirectory(workspace.resolve(".unstash-mine")));
        Path file = old(Files.writeString(workspace.resolve(".unstash-" + UUID.randomUUID()), "a file"));
        Path link = Files.createSymbolicLink(workspace.resolve(".unstash-" + UUID.randomUUID()), old(outside));
        try (WorkspaceTree tree = new WorkspaceTree(workspace, false)) {
            assertFalse(Files.exists(abandoned));
            assertTrue(Files.exists(recent), "another process may use it");
            assertTrue(Files.exists(another));
            assertTrue(Files.exists(file));
            assertTrue(Files.isSymbolicLink(link));
            assertTrue(Files.exists(tree.folder()));
        }
        assertEquals("stays", Files.readString(outside.resolve("file")));
    }

    @Test
    void whatIsReadOnlyIsReplaced() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path there = Files.writeString(workspace.resolve("a"), "old");
        assertTrue(there.toFile().setReadOnly());
        try (WorkspaceTree tree = new WorkspaceTree(workspace, false)) {
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
            try (WorkspaceTree tree = new WorkspaceTree(workspace, follow)) {
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
        try (WorkspaceTree tree = new WorkspaceTree(workspace, true)) {
            Files.writeString(tree.folder().resolve("lost"), "");
            assertEquals(
                    "lost is a link that leads nowhere",
                    assertThrows(IOException.class, tree::commit).getMessage());
        }
        try (WorkspaceTree tree = new WorkspaceTree(workspace, true)) {
            Files.createDirectory(tree.folder().resolve("dangling"));
            assertThrows(IOException.class, tree::commit);
        }
    }

    /** Whatever comes first: where a link leads is known before anything moves. */
    @Test
    void noLinkThatComesIsWrittenThrough() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Path outside = Files.createDirectory(tmp.resolve("outside"));
        Files.createDirectory(workspace.resolve("inside"));
        Files.createSymbolicLink(workspace.resolve("m"), Path.of("inside"));
        try (WorkspaceTree tree = new WorkspaceTree(workspace, true)) {
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
