package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process that has died left in a workspace. */
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
        try (WorkspaceTree tree = new WorkspaceTree(workspace)) {
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
        try (WorkspaceTree tree = new WorkspaceTree(workspace)) {
            Files.writeString(tree.folder().resolve("a"), "new");
            tree.commit();
        }
        assertEquals("new", Files.readString(there));
        assertEquals(1, workspace.toFile().list().length);
    }
}
