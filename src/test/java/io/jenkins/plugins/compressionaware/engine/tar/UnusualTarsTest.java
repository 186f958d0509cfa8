package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks valid tars that look like those that are refused. */
@Timeout(60)
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class UnusualTarsTest {
    /** Number of files in parallel. */
    @Parameter
    private int writers;

    @TempDir
    Path tmp;

    private UnpackHarness unpacking;
    private Path folder;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new UnpackHarness(tmp, writers);
        folder = unpacking.folder;
    }

    @Test
    void absoluteNameIsExtractedInside() throws Exception {
        String outside = unpacking.neighbour.resolve("new").toAbsolutePath().toString();
        String inside = outside.substring(1);
        unpacking.refuse(new TarBytes().file(outside, "evil").end(), "it was not requested", "a");
        unpacking.unpack(new TarBytes().file(outside, "inside").end(), inside);
        assertEquals("inside", Files.readString(folder.resolve(inside)));
        unpacking.assertNeighbourUntouched();
    }

    @Test
    void dotsAreResolvedWithoutFollowingLinks() throws Exception {
        TarBytes tar = new TarBytes().link("link", "../neighbour").file("link/../inside", "x");
        unpacking.unpack(tar.file("./path/../file", "y").end(), "link", "inside", "file");
        assertEquals("x", Files.readString(folder.resolve("inside")));
        assertEquals("y", Files.readString(folder.resolve("file")));
        unpacking.assertNeighbourUntouched();
    }

    @Test
    void circularLinksAreExtracted() throws Exception {
        TarBytes tar = new TarBytes().link("one", "two").link("two", "one").link("self", "self");
        unpacking.unpack(tar.end(), "one", "two", "self");
        assertEquals(Path.of("two"), Files.readSymbolicLink(folder.resolve("one")));
        assertEquals(Path.of("one"), Files.readSymbolicLink(folder.resolve("two")));
        assertEquals(Path.of("self"), Files.readSymbolicLink(folder.resolve("self")));
    }

    @Test
    void linksToLaterOrMissingTargetsAreExtracted() throws Exception {
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes()
                        .link("link", "src/main/file")
                        .file("src/main/file", "x")
                        .link("path/to/link", "../../missing")
                        .link("path/to/other", "../../path/to/link")
                        .end(),
                "link",
                "src/main/file",
                "path/to/link",
                "path/to/other");
        assertEquals("x", Files.readString(folder.resolve("link")));
        assertEquals(Path.of("../../missing"), Files.readSymbolicLink(folder.resolve("path/to/link")));
        assertFalse(Files.exists(folder.resolve("path/to/other")));
        assertEquals(List.of(), unpacker.warnings());
        assertEquals(4, unpacker.entries());
        assertEquals(1, unpacker.contentBytes());
    }

    /** Core also skips links that it cannot create. */
    @ParameterizedTest
    @CsvSource({"'', NoSuchFileException", "a\0b, Nul character not allowed", "LONG, File name too long"})
    void invalidLinkIsSkipped(String target, String reason) throws Exception {
        TarBytes tar = target.contains("\0")
                ? new TarBytes().extended('K', target).link("a", "x")
                : new TarBytes().link("a", target.equals("LONG") ? "x/".repeat(5_000) : target);
        TarUnpacker unpacker = unpacking.unpack(tar.file("b", "x").end(), "a", "b");
        assertFalse(Files.exists(folder.resolve("a"), LinkOption.NOFOLLOW_LINKS));
        assertTrue(Files.exists(folder.resolve("b")));
        ExtractionWarning warning = unpacker.warnings().get(0);
        assertEquals(
                new ExtractionWarning(ExtractionWarning.Type.SYMLINK_NOT_CREATED, 1, "a", warning.reason()), warning);
        assertTrue(warning.reason().contains(reason), warning.reason());
    }

    @Test
    void folderMayFollowItsFile() throws Exception {
        unpacking.unpack(new TarBytes().file("a/b", "x").folder("a").end(), "a", "a/b");
        assertEquals("x", Files.readString(folder.resolve("a/b")));
    }

    @Test
    void onlyPermissionBitsAreSetAndZeroMeansDefault() throws Exception {
        TarArchiveEntry all = new TarArchiveEntry("a");
        all.setMode(0107751);
        TarArchiveEntry none = new TarArchiveEntry("b");
        none.setMode(0);
        Path usual = Files.createFile(folder.resolve("default"));
        unpacking.unpack(new TarBytes().entry(all, "x").entry(none, "x").end(), "a", "b");
        Path file = folder.resolve("a");
        assertEquals("rwxr-x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(
                0, (int) Files.getAttribute(file, "unix:mode") & 07000, "no set-user-id, set-group-id or sticky bit");
        assertEquals(Files.getPosixFilePermissions(usual), Files.getPosixFilePermissions(folder.resolve("b")));
    }

    /** All entries are links, with the longest names and targets of Linux. */
    @Test
    void namesAndTargetsOfFullLengthAreExtracted() throws Exception {
        String[] names = IntStream.range(0, 20)
                .mapToObj(i -> "detour/../".repeat(405) + "link" + i)
                .toArray(String[]::new);
        TarBytes tar = new TarBytes();
        for (String name : names) {
            tar.link(name, "t".repeat(4_095));
        }
        assertEquals(20, unpacking.unpack(tar.end(), names).entries());
    }

    @Test
    void garbageAfterEndIsIgnored() throws Exception {
        byte[] garbage = new byte[20_000];
        Arrays.fill(garbage, (byte) 'g');
        TarBytes tar = new TarBytes().file("a", "x").end().raw(garbage);
        assertEquals(1, unpacking.unpack(tar, "a").entries());
    }
}
