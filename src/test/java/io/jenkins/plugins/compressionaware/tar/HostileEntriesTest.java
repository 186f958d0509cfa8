package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of a kind that no artifact is, and entries in each other's way. */
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class HostileEntriesTest {
    /** Files at a time. */
    @Parameter
    private int writers;

    private static final String KIND = "Refused a: neither a file, a folder nor a symbolic link";

    @TempDir
    Path tmp;

    private Unpacking unpacking;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new Unpacking(tmp, writers);
    }

    /** Hard link, character device, block device, fifo, contiguous file, multi-volume, volume label, unknown ones. */
    @ParameterizedTest
    @ValueSource(chars = {'1', '3', '4', '6', '7', 'M', 'V', 'N', 'Z', '9'})
    void kind(char kind) throws Exception {
        unpacking.refuse(new TarBytes().header(kind, "a", 0).end(), KIND, "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a"), LinkOption.NOFOLLOW_LINKS));
    }

    /** The last two are PAX for one entry, by POSIX and by Sun; S is GNU's sparse file. What they say is not even looked at. */
    @ParameterizedTest
    @ValueSource(chars = {'g', 'S', 'x', 'X'})
    void extension(char kind) throws Exception {
        unpacking.refuse(
                new TarBytes()
                        .extended(kind, TarBytes.pax("path", "../neighbour/file"))
                        .file("a", "x")
                        .end(),
                "Refused a tar header of the kind " + kind,
                "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a")));
    }

    /** The library would keep them all until the stream ends, and look through them for each entry. */
    @Test
    void globalHeaderBetweenEntries() throws Exception {
        TarBytes tar = new TarBytes()
                .file("a", "x")
                .extended('g', TarBytes.pax("comment", "c".repeat(50_000)))
                .file("b", "y")
                .end();
        unpacking.refuse(tar, "Refused a tar header of the kind g", "a", "b");
    }

    @Test
    void extensionBehindALongName() throws Exception {
        TarBytes tar = new TarBytes()
                .extended('L', "n".repeat(200))
                .extended('g', TarBytes.pax("comment", "c"))
                .file("a", "x")
                .end();
        unpacking.refuse(tar, "Refused a tar header of the kind g", "a");
    }

    @Test
    void fileInPlaceOfAFolder() throws Exception {
        unpacking.refuse(
                new TarBytes().file("a/b", "x").file("a", "y").end(),
                "Refused a: another entry has taken its place",
                "a",
                "a/b");
    }

    @Test
    void fileBelowAFile() throws Exception {
        unpacking.refuse(
                new TarBytes().file("a", "x").file("a/b", "y").end(),
                // whichever is made first
                writers == 1 ? "Refused a/b: a is no folder but was sent as something else" : "Refused a",
                "a",
                "a/b");
    }

    @Test
    void folderBelowAFile() throws Exception {
        unpacking.refuse(
                new TarBytes().file("a", "x").folder("a/b").end(),
                writers == 1 ? "Refused a/b/: a is no folder" : "Refused a",
                "a",
                "a/b");
    }

    @Test
    void folderAfterItsFile() throws Exception {
        unpacking.unpack(new TarBytes().file("a/b", "x").folder("a").end(), "a", "a/b");
        assertEquals("x", Files.readString(unpacking.folder.resolve("a/b")));
    }

    @Test
    void onlyPermissionBitsAreTaken() throws Exception {
        TarArchiveEntry entry = new TarArchiveEntry("a");
        entry.setMode(0107751);
        unpacking.unpack(new TarBytes().entry(entry, "x").end(), "a");
        Path file = unpacking.folder.resolve("a");
        assertEquals("rwxr-x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(
                0, (int) Files.getAttribute(file, "unix:mode") & 07000, "no set-user-id, set-group-id or sticky bit");
    }

    @Test
    void noPermissionAtAllMeansTheDefault() throws Exception {
        TarArchiveEntry entry = new TarArchiveEntry("a");
        entry.setMode(0);
        Files.createFile(tmp.resolve("folder/default"));
        unpacking.unpack(new TarBytes().entry(entry, "x").end(), "a");
        assertEquals(
                Files.getPosixFilePermissions(tmp.resolve("folder/default")),
                Files.getPosixFilePermissions(tmp.resolve("folder/a")));
    }
}
