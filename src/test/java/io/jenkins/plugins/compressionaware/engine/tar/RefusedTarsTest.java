package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Refuses tars with forbidden names, links, types and sizes, among them all cases of Jenkins core's Security3657Test
 * (2.541.3) about links.
 */
@Timeout(60)
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class RefusedTarsTest {
    private static final String EVIL = "evil";
    private static final String KIND = "Refused a: neither a file, a folder nor a symbolic link";
    private static final String TOO_MUCH = "More than 65536 bytes around one tar entry";

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

    /** @param names requested names */
    private record Case(String what, TarBytes tar, String reason, String... names) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static TarBytes tar() {
        return new TarBytes();
    }

    private static TarBytes link(String target) {
        return tar().link("link", target);
    }

    static Stream<Case> names() {
        String tooLong = "n".repeat(300);
        return Stream.of(
                new Case("reason", tar().file("../x", EVIL), "Refused ../x: it leaves the archive folder", "a"),
                new Case("link that leaves", tar().link("../x", "y"), "Refused ../x", "a"),
                new Case("folder that leaves", tar().folder("../x"), "Refused ../x", "a"),
                new Case("not requested", tar().file("b", EVIL), "Refused b: it was not requested", "a"),
                new Case("below", tar().folder("a").file("a/b", EVIL), "Refused a/b: it was not requested", "a"),
                new Case("above", tar().folder("a"), "Refused a/: it was not requested", "a/b"),
                new Case(
                        "twice",
                        tar().file("a", "1").file("a", EVIL),
                        "Refused a: it was not requested, or came twice",
                        "a"),
                new Case("spelt anew", tar().file("d/a", "").file("/d/./x/../a", ""), "came twice", "d/a", "d/x"),
                new Case("missing", tar().file("a", "x"), "The transfer lacks b", "a", "b"),
                new Case("several missing", tar(), " and 2 other files", "a", "b", "c"),
                new Case("after the end", tar().end().file("b", EVIL), "lacks b", "b"),
                new Case("NUL", tar().extended('L', "a\0b").file("a", EVIL), "not a valid file name", "a"),
                new Case("GNU's name", tar().extended('L', "../x\0").file("a", EVIL), "Refused ../x", "a"),
                new Case("too long", tar().file(tooLong, ""), "Cannot write " + tooLong + ": File name too", tooLong));
    }

    static Stream<Case> links() {
        String deep = "n".repeat(300) + "/a";
        return Stream.of(
                new Case(
                        "file", link("..").file("link/x", EVIL), "Refused link/x: link is no folder", "link", "link/x"),
                new Case("side", link("../neighbour").file("link/x", EVIL), "link is no folder", "link", "link/x"),
                new Case("same", link(".").file("link/x", EVIL), "link is no folder", "link", "link/x"),
                new Case("none", link("missing").file("link/x", EVIL), "link is no folder", "link", "link/x"),
                new Case("absolute", link("/tmp").file("link/x", EVIL), "Refused link/x", "link", "link/x"),
                new Case(
                        "far below",
                        tar().link("a/l", "../../neighbour").file("a/l/b/c/d", EVIL),
                        "Refused a/l/b/c/d: a/l is no folder",
                        "a/l",
                        "a/l/b/c/d"),
                new Case("folder below", link("..").folder("link/b"), "Refused link/b/", "link", "link/b"),
                new Case("link below", link("..").link("link/b", "x"), "Refused link/b", "link", "link/b"),
                new Case("folder for a link", link("../b").folder("link"), "Refused link/: ", "link"),
                new Case("file for a link", link("../neighbour/file").file("link", EVIL), "Refused link: ", "link"),
                new Case("link for a file", tar().file("a", "x").link("a", "y"), "Refused a: ", "a"),
                new Case("link for a link", tar().link("a", "a").link("a", "a"), "Refused a: ", "a"),
                new Case(
                        "link for a folder",
                        tar().file("a/b", "x").link("a", "../neighbour"),
                        "Refused a: another entry has taken its place",
                        "a",
                        "a/b"),
                new Case("hard link", tar().special(TarConstants.LF_LINK, "a", "../neighbour/file"), KIND, "a"),
                new Case(
                        "hard link to an entry",
                        tar().file("b", "x").special(TarConstants.LF_LINK, "a", "b"),
                        "Refused a: ",
                        "a",
                        "b"),
                // the reason is the folder, not the link
                new Case("no folder", tar().link(deep, "x"), "Cannot write " + deep + ": File name too long", deep));
    }

    static Stream<Case> entries() {
        TarBytes global = tar().file("a", "x").extended('g', TarBytes.pax("comment", "c".repeat(50_000)));
        return Stream.of(
                // a library would keep all of them until the stream ends, and search them for each entry
                new Case("global header", global.file("b", EVIL), "Refused a tar header of the type g", "a", "b"),
                new Case(
                        "global header behind a long name",
                        tar().extended('L', "n".repeat(200))
                                .extended('g', TarBytes.pax("comment", "c"))
                                .file("a", EVIL),
                        "Refused a tar header of the type g",
                        "a"),
                new Case(
                        "file in place of a folder",
                        tar().file("a/b", "x").file("a", EVIL),
                        "Refused a: another entry has taken its place",
                        "a",
                        "a/b"),
                // whichever is created first
                new Case("file below a file", tar().file("a", "x").file("a/b", "y"), "Refused a", "a", "a/b"),
                new Case("folder below a file", tar().file("a", "x").folder("a/b"), "Refused a", "a", "a/b"));
    }

    static Stream<Case> sizes() {
        byte[] mebibyte = new byte[1 << 20];
        byte[] damaged = tar().file("a", "x").bytes();
        damaged[0] = 'b';
        TarBytes large = tar();
        String[] ten = new String[10];
        for (int i = 0; i < ten.length; i++) {
            ten[i] = "file" + i;
            large.extended('K', "k".repeat(60_000)).file(ten[i], "x");
        }
        return Stream.of(
                new Case(
                        "truncated",
                        tar().header('0', "a", 10_000).raw(new byte[512]),
                        "Cannot write a: Truncated",
                        "a"),
                new Case(
                        "too much",
                        tar().header('0', "a", 5).raw("x".repeat(2_048).getBytes()),
                        "",
                        "a"),
                new Case("link with content", tar().header('2', "a", 1L << 32).raw(mebibyte), "a", "a"),
                new Case("folder with content", tar().header('5', "a", 1L << 32).raw(mebibyte), TOO_MUCH, "a", "b"),
                // each within the limit for one entry
                new Case("many large headers", large, "Too many bytes around the tar entries", ten),
                new Case("no tar", tar().raw("this is not a tar ".repeat(1_000).getBytes()), "", "a"),
                new Case("checksum of the header", tar().raw(damaged), "", "a", "b"));
    }

    @ParameterizedTest
    @MethodSource({"names", "links", "entries", "sizes"})
    void tarIsRefusedWithReason(Case one) throws Exception {
        unpacking.refuse(one.tar.end(), one.reason, one.names);
        assertNothingSmuggled();
    }

    private void assertNothingSmuggled() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                boolean plain = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
                assertTrue(plain || Files.isDirectory(path) || Files.isSymbolicLink(path), path.toString());
                assertFalse(plain && Files.readString(path).equals(EVIL) && writers == 1, path.toString());
            }
        }
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
    void nameOutsideFolderIsRefused(String name) throws Exception {
        unpacking.refuse(tar().file(name, name.endsWith("/") ? "" : EVIL).end(), "Refused " + name, "a");
        assertThrows(
                IOException.class,
                () -> new TarUnpacker(folder, Set.of(name), DiskHelpers.NONE, EntryDecoder.NONE),
                "the name cannot be requested either");
    }

    /** Hard link, character device, block device, fifo, contiguous file, multi-volume, volume label, unknown ones. */
    @ParameterizedTest
    @ValueSource(chars = {'1', '3', '4', '6', '7', 'M', 'V', 'N', 'Z', '9'})
    void unsupportedTypeIsRefused(char kind) throws Exception {
        for (String name : List.of("a", "a/")) {
            unpacking.refuse(tar().header(kind, name, 0).end(), "Refused " + name + ": neither a file", "a");
            assertFalse(Files.exists(folder.resolve("a"), LinkOption.NOFOLLOW_LINKS), name);
        }
    }

    /** PAX headers for all entries, GNU's sparse files, and PAX headers for one entry by POSIX and by Sun. Their contents are not parsed. */
    @ParameterizedTest
    @ValueSource(chars = {'g', 'S', 'x', 'X'})
    void extensionIsRefused(char kind) throws Exception {
        TarBytes tar =
                tar().extended(kind, TarBytes.pax("path", "../neighbour/file")).file("a", "x");
        unpacking.refuse(tar.end(), "Refused a tar header of the type " + kind, "a");
        assertFalse(Files.exists(folder.resolve("a")));
    }

    /** Not octal, negative in base 256, the largest long in base 256, more than a long, blanks within. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-0000000001\0",
                "99999999999\0",
                "zzzzzzzzzzz\0",
                "000 0000001\0",
                "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u00ff\0\0\0\0\0\0\0\0\0\0\0",
                "\u0080\0\0\0\u007f\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u0080\0\0\0\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u0080\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff"
            })
    void invalidSizeIsRefused(String sizeField) throws Exception {
        for (char kind : new char[] {'0', '2', '5'}) {
            TarBytes tar = tar().header(kind, "a", sizeField).raw(new byte[1 << 20]);
            unpacking.refuse(tar.end(), "", "a", "b");
            Files.deleteIfExists(folder.resolve("a"));
        }
    }

    /** GNU long names, GNU long links. */
    @ParameterizedTest
    @ValueSource(chars = {'L', 'K'})
    void endlessHeadersAreRefused(char kind) throws Exception {
        byte[] header = tar().extended(kind, "a").bytes();
        TarBytes tar = tar();
        for (int i = 0; i < 1_000; i++) {
            tar.raw(header);
        }
        unpacking.refuse(tar.file("a", "x").end(), TOO_MUCH, "a");
        unpacking.refuseEndless(tar().header(kind, "h", 1L << 30), (byte) 'n', TOO_MUCH);
        unpacking.refuseEndless(tar().file("a", "x").end(), (byte) 0, TOO_MUCH);
    }
}
