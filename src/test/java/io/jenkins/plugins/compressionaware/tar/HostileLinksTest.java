package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links as a way out. The cases of Jenkins core's Security3657Test (2.541.3) that are about links are all here. */
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class HostileLinksTest {
    /** Files at a time. */
    @Parameter
    private int writers;

    @TempDir
    Path tmp;

    private Unpacking unpacking;
    private Path folder;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new Unpacking(tmp, writers);
        folder = unpacking.folder;
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "../neighbour", ".", "missing"})
    void fileBelowALink(String target) throws Exception {
        unpacking.refuse(
                new TarBytes().link("link", target).file("link/pwned", "evil").end(),
                "Refused link/pwned: link is no folder",
                "link",
                "link/pwned");
        assertTrue(Files.isSymbolicLink(folder.resolve("link")));
    }

    @Test
    void fileBelowAnAbsoluteLink() throws Exception {
        String target = unpacking.neighbour.toAbsolutePath().toString();
        unpacking.refuse(
                new TarBytes().link("link", target).file("link/file", "evil").end(),
                "Refused link/file",
                "link",
                "link/file");
    }

    @Test
    void fileFarBelowALink() throws Exception {
        unpacking.refuse(
                new TarBytes()
                        .link("a/link", "../../neighbour")
                        .file("a/link/b/c/d", "evil")
                        .end(),
                "Refused a/link/b/c/d: a/link is no folder",
                "a/link",
                "a/link/b/c/d");
    }

    @Test
    void folderBelowALink() throws Exception {
        unpacking.refuse(
                new TarBytes().link("link", "..").folder("link/bar").end(), "Refused link/bar/", "link", "link/bar");
    }

    @Test
    void linkBelowALink() throws Exception {
        unpacking.refuse(
                new TarBytes().link("link", "..").link("link/bar", "x").end(), "Refused link/bar", "link", "link/bar");
    }

    @Test
    void folderInPlaceOfALink() throws Exception {
        unpacking.refuse(new TarBytes().link("link", "../bar").folder("link").end(), "Refused link/: ", "link");
    }

    @Test
    void fileThroughALinkOfTheSameName() throws Exception {
        for (String target : new String[] {
            "../neighbour/file", unpacking.neighbour.resolve("file").toString()
        }) {
            Files.deleteIfExists(folder.resolve("link"));
            unpacking.refuse(
                    new TarBytes().link("link", target).file("link", "evil").end(), "Refused link: ", "link");
            assertTrue(Files.isSymbolicLink(folder.resolve("link")));
        }
    }

    @Test
    void linkInPlaceOfAFile() throws Exception {
        unpacking.refuse(new TarBytes().file("a", "x").link("a", "y").end(), "Refused a: ", "a");
        assertFalse(Files.isSymbolicLink(folder.resolve("a")));
    }

    @Test
    void linkInPlaceOfAFolder() throws Exception {
        unpacking.refuse(
                new TarBytes().file("a/b", "x").link("a", "../neighbour").end(),
                "Refused a: another entry has taken its place",
                "a",
                "a/b");
        assertTrue(Files.isDirectory(folder.resolve("a"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void linkThenItsWayThroughDots() throws Exception {
        unpacking.unpack(
                new TarBytes()
                        .link("link", "../neighbour")
                        .file("link/../inside", "x")
                        .end(),
                "link",
                "inside");
        assertEquals("x", Files.readString(folder.resolve("inside")), "the name is taken as text, not resolved");
        unpacking.assertNeighbourUntouched();
    }

    @Test
    void hardLink() throws Exception {
        unpacking.refuse(
                new TarBytes()
                        .special(TarConstants.LF_LINK, "a", "../neighbour/file")
                        .end(),
                "Refused a: neither a file, a folder nor a symbolic link",
                "a");
    }

    @Test
    void hardLinkToAnEarlierEntry() throws Exception {
        unpacking.refuse(
                new TarBytes()
                        .file("a", "x")
                        .special(TarConstants.LF_LINK, "b", "a")
                        .end(),
                "Refused b: ",
                "a",
                "b");
    }

    @Test
    void linksThatLeadInACircleLand() throws Exception {
        unpacking.unpack(
                new TarBytes()
                        .link("one", "two")
                        .link("two", "one")
                        .link("self", "self")
                        .end(),
                "one",
                "two",
                "self");
        assertEquals(Path.of("two"), Files.readSymbolicLink(folder.resolve("one")));
        assertEquals(Path.of("one"), Files.readSymbolicLink(folder.resolve("two")));
        assertEquals(Path.of("self"), Files.readSymbolicLink(folder.resolve("self")));
    }

    @Test
    void sameLinkTwice() throws Exception {
        unpacking.refuse(new TarBytes().link("a", "a").link("a", "a").end(), "Refused a: ", "a");
    }

    @Test
    void linkBeforeItsTargetAndLinksIntoOtherFoldersLand() throws Exception {
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

    @Test
    void linkWithoutATarget() throws Exception {
        leftOut(new TarBytes().link("a", ""), "NoSuchFileException");
    }

    @Test
    void linkWithNulInItsTarget() throws Exception {
        leftOut(new TarBytes().extended('K', "a\0b").link("a", "x"), "Nul character not allowed");
    }

    @Test
    void linkWithATargetTooLongForTheFileSystem() throws Exception {
        leftOut(new TarBytes().link("a", "x/".repeat(5_000)), "File name too long");
    }

    /** As core does with a link that it cannot create. */
    private void leftOut(TarBytes tar, String reason) throws Exception {
        TarUnpacker unpacker = unpacking.unpack(tar.file("b", "x").end(), "a", "b");
        assertFalse(Files.exists(folder.resolve("a"), LinkOption.NOFOLLOW_LINKS));
        assertTrue(Files.exists(folder.resolve("b")));
        LandingWarning warning = unpacker.warnings().get(0);
        assertEquals(new LandingWarning(LandingWarning.Kind.LINK_LEFT_OUT, 1, "a", warning.reason()), warning);
        assertTrue(warning.reason().contains(reason), warning.reason());
    }

    /** What is in the way of the folder is no matter of the link. */
    @Test
    void linkWhoseFolderCannotBeMade() throws Exception {
        String name = "n".repeat(300) + "/a";
        unpacking.refuse(new TarBytes().link(name, "x").end(), "Cannot write " + name + ": File name too long", name);
    }
}
