package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is replaced in a workspace stays until its replacement exists. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links, and no identities of files")
class ReplacedFileTest {
    @TempDir
    private Path folder;

    private List<ExtractionWarning> unpack(FileCreator disk, TarBytes tar) throws IOException {
        TarUnpacker unpacker =
                new TarUnpacker(new Workspace(folder, disk, true), null, UnpackHarness.files(1), EntryDecoder.NONE);
        try {
            unpacker.unpack(new ByteArrayInputStream(tar.end().bytes()));
        } finally {
            unpacker.close();
        }
        return unpacker.warnings();
    }

    @Test
    void emptyFolderStaysIfLinkCannotBeCreated() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("l"));
        FileCreator noLinks = new FileCreator(folder) {
            @Override
            void link(Path path, Path target) throws IOException {
                throw new FileSystemException(path.toString(), null, "Operation not supported");
            }
        };
        List<ExtractionWarning> warnings = unpack(noLinks, new TarBytes().link("l", "x"));
        assertEquals(ExtractionWarning.Type.SYMLINK_NOT_CREATED, warnings.get(0).type());
        assertTrue(Files.isDirectory(empty));
        assertEquals(List.of("l"), FileTrees.list(folder));
    }

    /** An NFS client repeats a request whose reply is lost, and the server no longer has the file. */
    @Test
    void renameWithLostReplySucceeds() throws Exception {
        FileCreator disk = new FileCreator(folder) {
            @Override
            OutputStream overwrite(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }

            @Override
            void rename(Path from, Path to) throws IOException {
                super.rename(from, to);
                throw new NoSuchFileException(from.toString());
            }
        };
        Files.writeString(folder.resolve("f"), "old");
        assertEquals(List.of(), unpack(disk, new TarBytes().file("f", "new")));
        assertEquals("new", Files.readString(folder.resolve("f")));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }
}
