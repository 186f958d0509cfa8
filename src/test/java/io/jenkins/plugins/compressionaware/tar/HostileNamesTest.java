package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries whose names lead elsewhere, were not asked for, come twice or not at all. */
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class HostileNamesTest {
    /** Files at a time. */
    @Parameter
    private int writers;

    @TempDir
    Path tmp;

    private Unpacking unpacking;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new Unpacking(tmp, writers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../x",
                "../neighbour/file",
                "../folder/x",
                "a/../../x",
                "a/b/../../../x",
                "..",
                "./..",
                "/..",
                "/../x",
                "//../x",
                ".",
                "/",
                "a/..",
                "./",
                "../../../../../../../../../../../../tmp/x"
            })
    void nameThatLeavesTheFolder(String name) throws Exception {
        unpacking.refuse(
                new TarBytes().file(name, name.endsWith("/") ? "" : "evil").end(), "Refused " + name, "a");
        assertThrows(
                IOException.class,
                () -> new TarUnpacker(unpacking.folder, Set.of(name), Helpers.NONE),
                "nor can it be asked for");
    }

    @Test
    void reasonIsGiven() throws Exception {
        unpacking.refuse(new TarBytes().file("../x", "evil").end(), "Refused ../x: it leaves the archive folder", "a");
    }

    @Test
    void linkAndFolderThatLeaveTheFolder() throws Exception {
        unpacking.refuse(new TarBytes().link("../x", "y").end(), "Refused ../x", "a");
        unpacking.refuse(new TarBytes().folder("../x").end(), "Refused ../x", "a");
    }

    @Test
    void absoluteNameNotAskedFor() throws Exception {
        Path outside = unpacking.neighbour.resolve("new").toAbsolutePath();
        unpacking.refuse(new TarBytes().file(outside.toString(), "evil").end(), "not asked for", "a");
    }

    @Test
    void absoluteNameLandsInside() throws Exception {
        Path outside = unpacking.neighbour.resolve("new").toAbsolutePath();
        unpacking.unpack(
                new TarBytes().file(outside.toString(), "inside").end(),
                outside.toString().substring(1));
        assertEquals(
                "inside",
                Files.readString(unpacking.folder.resolve(outside.toString().substring(1))));
        unpacking.assertNeighbourUntouched();
    }

    @Test
    void detourInsideTheFolder() throws Exception {
        unpacking.unpack(new TarBytes().file("./path/../file", "x").end(), "file");
        assertEquals("x", Files.readString(unpacking.folder.resolve("file")));
    }

    @Test
    void notAskedFor() throws Exception {
        unpacking.refuse(new TarBytes().file("b", "evil").end(), "Refused b: not asked for", "a");
        assertFalse(Files.exists(unpacking.folder.resolve("b")));
    }

    @Test
    void notAskedForBelowOneThatWas() throws Exception {
        unpacking.refuse(new TarBytes().folder("a").file("a/b", "evil").end(), "Refused a/b: not asked for", "a");
        assertFalse(Files.exists(unpacking.folder.resolve("a/b")));
    }

    @Test
    void parentFolderNotAskedFor() throws Exception {
        unpacking.refuse(new TarBytes().folder("a").end(), "Refused a/: not asked for", "a/b");
    }

    @Test
    void sentTwice() throws Exception {
        TarBytes tar = new TarBytes().file("a", "first").file("a", "second").end();
        unpacking.refuse(tar, "Refused a: not asked for, or sent twice", "a");
        if (writers == 1) {
            assertEquals("first", Files.readString(unpacking.folder.resolve("a")));
        }
    }

    @Test
    void sentTwiceUnderTwoSpellings() throws Exception {
        TarBytes tar = new TarBytes()
                .file("d/a", "first")
                .file("/d/./x/../a", "second")
                .end();
        unpacking.refuse(tar, "sent twice", "d/a", "d/x");
    }

    @Test
    void missing() throws Exception {
        unpacking.refuse(new TarBytes().file("a", "x").end(), "The agent sent nothing for b", "a", "b");
        assertTrue(Files.exists(unpacking.folder.resolve("a")));
    }

    @Test
    void severalMissing() throws Exception {
        unpacking.refuse(new TarBytes().end(), " and 2 more", "a", "b", "c");
    }

    @Test
    void afterTheEnd() throws Exception {
        unpacking.refuse(new TarBytes().file("a", "x").end().file("b", "x").end(), "sent nothing for b", "a", "b");
        assertFalse(Files.exists(unpacking.folder.resolve("b")));
    }

    @Test
    void nulInName() throws Exception {
        TarBytes tar = new TarBytes().extended('L', "a\0b").file("a", "x").end();
        unpacking.refuse(tar, "not a valid file name on this controller", "a");
    }

    @Test
    void nameFromAGnuHeaderIsCheckedToo() throws Exception {
        TarBytes tar =
                new TarBytes().extended('L', "../x" + "\0").file("a", "evil").end();
        unpacking.refuse(tar, "Refused ../x", "a");
    }

    @Test
    void nameThatIsTooLongForTheFileSystem() throws Exception {
        String name = "n".repeat(300);
        unpacking.refuse(new TarBytes().file(name, "x").end(), "Cannot write " + name + ": File name too long", name);
    }
}
