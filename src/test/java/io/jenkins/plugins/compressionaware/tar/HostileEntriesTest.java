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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of a kind that no artifact is, and entries in each other's way. */
class HostileEntriesTest {
    private static final String KIND = "Refused a: neither a file, a folder nor a symbolic link";

    @TempDir
    Path tmp;

    private Unpacking unpacking;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new Unpacking(tmp);
    }

    /** Hard link, character device, block device, fifo, contiguous file, multi-volume, volume label, unknown ones. */
    @ParameterizedTest
    @ValueSource(chars = {'1', '3', '4', '6', '7', 'M', 'V', 'N', 'Z', '9'})
    void kind(char kind) throws Exception {
        unpacking.refuse(new TarBytes().header(kind, "a", 0).end(), KIND, "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void gnuSparseFile() throws Exception {
        unpacking.refuse(new TarBytes().header('S', "a", 0).end(), "a", "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "1.0"})
    void paxSparseFile(String version) throws Exception {
        String header = TarBytes.pax("GNU.sparse.major", version.substring(0, 1))
                + TarBytes.pax("GNU.sparse.minor", version.substring(2))
                + TarBytes.pax("GNU.sparse.size", "1099511627776")
                + TarBytes.pax("GNU.sparse.realsize", "1099511627776")
                + TarBytes.pax("GNU.sparse.numblocks", "1")
                + TarBytes.pax("GNU.sparse.map", "0,1099511627776")
                + TarBytes.pax("GNU.sparse.name", "a");
        TarBytes tar = new TarBytes()
                .extended('x', header)
                .file("a", "1\n0\n512\n" + "\0".repeat(1016))
                .end();
        unpacking.refuse(tar, "", "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a")));
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
                "Refused a/b: a is no folder but was sent as something else",
                "a",
                "a/b");
        assertEquals("x", Files.readString(unpacking.folder.resolve("a")));
    }

    @Test
    void folderBelowAFile() throws Exception {
        unpacking.refuse(new TarBytes().file("a", "x").folder("a/b").end(), "Refused a/b/: a is no folder", "a", "a/b");
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
