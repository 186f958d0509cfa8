package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A workspace is recognized after its agent has connected again. */
class WorkspaceIdentityCallableTest {
    @TempDir
    Path tmp;

    private Path workspace;
    private Set<String> before;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.createDirectory(workspace.resolve("folder"));
        Files.writeString(workspace.resolve("file"), "content");
        before = facts();
    }

    private Set<String> facts() throws IOException {
        return new WorkspaceIdentityCallable().invoke(workspace.toFile(), null);
    }

    private Set<String> factsOfAnotherProcess() throws IOException {
        Set<String> facts = new HashSet<>(facts());
        assertTrue(facts.removeIf(fact -> fact.startsWith("process ")));
        facts.add("process 1");
        return facts;
    }

    @Test
    void unchangedWorkspaceIsTheSame() throws Exception {
        assertEquals(before, facts());
        assertTrue(WorkspaceIdentityCallable.isSame(before, facts()));
        assertTrue(WorkspaceIdentityCallable.isSame(before, factsOfAnotherProcess()));
    }

    @Test
    void changedFilesDoNotMatter() throws Exception {
        Files.writeString(workspace.resolve("file"), "longer content");
        Files.writeString(workspace.resolve("folder/new"), "");
        Files.writeString(workspace.resolve("new"), "");
        assertTrue(WorkspaceIdentityCallable.isSame(before, facts()));
        assertTrue(WorkspaceIdentityCallable.isSame(before, factsOfAnotherProcess()), "the folder is the same");
    }

    /** For example a temporary file of another step. */
    @Test
    void fileThatIsDeletedMeanwhileDoesNotMatter() throws Exception {
        File listed = new File(workspace.toString()) {
            @Override
            public String[] list() {
                return new String[] {"deleted", "file", "folder"};
            }
        };
        assertEquals(before, new WorkspaceIdentityCallable().invoke(listed, null));
    }

    /** Java lists nothing, not even an empty array, for a folder that cannot be read. */
    @Test
    void sameProcessRecognizesFolderThatCannotBeListed() throws Exception {
        File unreadable = new File(workspace.toString()) {
            @Override
            public String[] list() {
                return null;
            }
        };
        Set<String> facts = new WorkspaceIdentityCallable().invoke(unreadable, null);
        assertEquals(2, facts.size());
        assertTrue(WorkspaceIdentityCallable.isSame(before, facts));
    }

    @Test
    void sameProcessRecognizesEmptyFolder() throws Exception {
        Files.delete(workspace.resolve("file"));
        Files.delete(workspace.resolve("folder"));
        assertTrue(WorkspaceIdentityCallable.isSame(before, facts()));
    }

    /** Without {@code /proc}, for example, when another process may have the same number. */
    @Test
    void processWithoutStartIsUnknown() {
        assertEquals(
                "process 1 0",
                WorkspaceIdentityCallable.process(1, Optional.of(Instant.EPOCH)).orElseThrow());
        assertEquals(Optional.empty(), WorkspaceIdentityCallable.process(1, Optional.empty()));
    }

    /** A new folder often has the file key of a deleted one. */
    @Test
    void emptyFolderWithSameKeyIsAnotherOne() throws Exception {
        Files.delete(workspace.resolve("file"));
        Files.delete(workspace.resolve("folder"));
        assertFalse(WorkspaceIdentityCallable.isSame(before, factsOfAnotherProcess()));
    }

    @Test
    void copyIsAnotherFolder() throws Exception {
        Files.move(workspace, tmp.resolve("old"));
        Files.createDirectory(workspace);
        Files.writeString(workspace.resolve("file"), "content");
        Files.setLastModifiedTime(
                workspace.resolve("file"),
                Files.getLastModifiedTime(tmp.resolve("old").resolve("file")));
        assertFalse(WorkspaceIdentityCallable.isSame(before, facts()));
        assertFalse(WorkspaceIdentityCallable.isSame(before, factsOfAnotherProcess()));
    }

    @Test
    void factsAreLimited() throws Exception {
        for (int i = 0; i < 100; i++) {
            Files.createFile(workspace.resolve("many" + i));
        }
        assertEquals(34, facts().size());
    }

    @Test
    void missingFolderHasNoFacts() throws Exception {
        Files.move(workspace, tmp.resolve("old"));
        assertThrows(IOException.class, this::facts);
    }

    @Test
    void emptyAnswersAreDifferent() throws Exception {
        assertFalse(WorkspaceIdentityCallable.isSame(before, Set.of()));
        assertFalse(WorkspaceIdentityCallable.isSame(Set.of(), Set.of()));
        Files.setLastModifiedTime(workspace, FileTime.fromMillis(0));
        assertTrue(WorkspaceIdentityCallable.isSame(before, facts()));
    }
}
