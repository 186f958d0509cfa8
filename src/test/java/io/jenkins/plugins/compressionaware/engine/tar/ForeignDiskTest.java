package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks onto simulated disks of other systems, some of which cannot distinguish certain names. */
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class ForeignDiskTest {
    /** Number of files in parallel. */
    @Parameter
    private int writers;

    private static final String COMPOSED = "\u00e9";
    private static final String DECOMPOSED = "e\u0301";

    enum Disk {
        UNIX(Configuration.unix().toBuilder().setAttributeViews("basic", "posix")),
        MAC(Configuration.osX().toBuilder()),
        WINDOWS(Configuration.windows().toBuilder()),
        WITHOUT_LINKS(Configuration.windows().toBuilder().setSupportedFeatures());

        private final Configuration configuration;

        Disk(Configuration.Builder builder) {
            configuration = builder.build();
        }
    }

    private FileSystem disk;
    private UnpackHarness unpacking;
    private Path folder;

    private void use(Disk kind) throws IOException {
        disk = Jimfs.newFileSystem(kind.configuration);
        unpacking = new UnpackHarness(Files.createDirectories(disk.getPath("home")), writers);
        folder = unpacking.folder;
    }

    @AfterEach
    void unmount() throws IOException {
        if (unpacking != null) {
            unpacking.assertNeighbourUntouched();
            disk.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void filesAndFoldersAreExtracted(Disk kind) throws Exception {
        use(kind);
        TarArchiveEntry script = new TarArchiveEntry("bin/run");
        script.setMode(0750);
        script.setModTime(new Date(1_700_000_000_000L));
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes().entry(script, "content").folder("empty").end(), "bin/run", "empty");
        Path file = folder.resolve("bin/run");
        assertEquals("content", Files.readString(file));
        assertEquals(FileTime.fromMillis(1_700_000_000_000L), Files.getLastModifiedTime(file));
        if (kind == Disk.UNIX) {
            assertEquals("rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        assertTrue(Files.isDirectory(folder.resolve("empty")));
        assertEquals(List.of(), unpacker.warnings());
    }

    @ParameterizedTest
    @EnumSource
    void packedFileIsUnpackedOnSameDisk(Disk kind) throws Exception {
        use(kind);
        Path base = Files.createDirectories(folder.resolveSibling("neighbour"));
        byte[] tar = TarPackerTest.pack(base, Map.of("some/name", "file"));
        unpacking.unpack(new TarBytes().raw(tar), "some/name");
        assertEquals("untouched", Files.readString(folder.resolve("some/name")));
    }

    @Test
    void caseSensitiveDiskKeepsBothNames() throws Exception {
        use(Disk.UNIX);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes().file("Foo", "1").file("foo", "2").end(), "Foo", "foo");
        assertEquals("1", Files.readString(folder.resolve("Foo")));
        assertEquals("2", Files.readString(folder.resolve("foo")));
        assertEquals(List.of(), unpacker.warnings());
    }

    @ParameterizedTest
    @CsvSource({"MAC, Api, api", "WINDOWS, Api, api", "MAC, " + COMPOSED + ", " + DECOMPOSED})
    void indistinguishableFoldersAreMerged(Disk kind, String one, String other) throws Exception {
        use(kind);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes()
                        .file("docs/" + one + "/a", "1")
                        .file("docs/" + other + "/b", "2")
                        .file("docs/" + other + "/sub/c", "3")
                        .end(),
                "docs/" + one + "/a",
                "docs/" + other + "/b",
                "docs/" + other + "/sub/c");
        Path docs = folder.resolve("docs");
        assertEquals("1", Files.readString(docs.resolve(other).resolve("a")));
        assertEquals("2", Files.readString(docs.resolve(one).resolve("b")));
        assertEquals(1, FileTrees.list(docs).size());
        assertEquals(List.of(), unpacker.warnings());
    }

    @ParameterizedTest
    @CsvSource({"MAC, Foo, foo", "WINDOWS, Foo, foo", "MAC, " + COMPOSED + ", " + DECOMPOSED})
    void lastOfIndistinguishableFilesWins(Disk kind, String one, String other) throws Exception {
        use(kind);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes().file(one, "first").file(other, "2").end(), one, other);
        assertEquals("2", Files.readString(folder.resolve(one)));
        assertCollisions(1, folder.resolve(other).getFileName().toString(), unpacker);
    }

    private static void assertCollisions(int count, String name, TarUnpacker unpacker) {
        assertEquals(
                List.of(new ExtractionWarning(ExtractionWarning.Type.NAME_COLLISION, count, name, "")),
                unpacker.warnings());
    }

    @Test
    void indistinguishableFilesGiveOneWarning() throws Exception {
        use(Disk.WINDOWS);
        TarBytes tar = new TarBytes();
        String[] names = {"ABC", "ABc", "Abc", "abc"};
        for (int i = 0; i < names.length; i++) {
            tar.file(names[i], "" + (i + 1));
        }
        TarUnpacker unpacker = unpacking.unpack(tar.end(), names);
        assertEquals("4", Files.readString(folder.resolve("ABC")));
        assertCollisions(3, "ABc", unpacker);
    }

    @ParameterizedTest
    @EnumSource(names = {"MAC", "WINDOWS"})
    void indistinguishableNamesAreExpectedOncePerRequest(Disk kind) throws Exception {
        use(kind);
        unpacking.refuse(
                new TarBytes()
                        .file("Foo", "1")
                        .file("Foo", "2")
                        .file("foo", "3")
                        .end(),
                "came twice",
                "Foo",
                "foo");
        Files.deleteIfExists(folder.resolve("foo"));
        unpacking.refuse(new TarBytes().file("Foo", "1").end(), "lacks", "Foo", "foo");
    }

    @ParameterizedTest
    @CsvSource({
        "MAC, Lib, lib",
        "WINDOWS, Lib, lib",
        "MAC, " + COMPOSED + ", " + DECOMPOSED,
        "MAC, " + DECOMPOSED + ", " + COMPOSED
    })
    void linkOfAnotherSpellingIsNotFollowed(Disk kind, String link, String other) throws Exception {
        use(kind);
        for (String target : new String[] {"../neighbour", ".", "missing", unpacking.neighbour.toAbsolutePath() + ""}) {
            for (String below : new String[] {"/file", "/new", "/deep/er"}) {
                unpacking.refuse(
                        new TarBytes()
                                .link(link, target)
                                .file(other + below, "evil")
                                .end(),
                        "is no folder but was sent as something else",
                        link,
                        other + below);
                Files.delete(folder.resolve(link));
            }
            unpacking.refuse(new TarBytes().link(link, target).folder(other).end(), "is no folder", link, other);
            Files.delete(folder.resolve(link));
        }
    }

    @ParameterizedTest
    @CsvSource({"MAC, Foo, foo", "WINDOWS, Foo, foo", "MAC, " + COMPOSED + ", " + DECOMPOSED})
    void fileReplacesLinkOfAnotherSpelling(Disk kind, String link, String other) throws Exception {
        use(kind);
        for (String target : new String[] {"../neighbour/file", "../neighbour/new"}) {
            TarUnpacker unpacker = unpacking.unpack(
                    new TarBytes().link(link, target).file(other, "content").end(), link, other);
            assertTrue(Files.isRegularFile(folder.resolve(link), LinkOption.NOFOLLOW_LINKS));
            assertEquals("content", Files.readString(folder.resolve(other)));
            assertEquals(1, unpacker.warnings().size());
            unpacking.assertNeighbourUntouched();
            Files.delete(folder.resolve(link));
        }
    }

    /** On this disk, creating a file follows a dangling link of its name. */
    @Test
    void resentFileReplacesLinkOfFirstPass() throws Exception {
        use(Disk.WINDOWS);
        FileCreator through = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                Path end = Files.isSymbolicLink(path) ? path.resolveSibling(Files.readSymbolicLink(path)) : path;
                return super.create(end, mode, shared);
            }
        };
        EntryDecoder failing = delta -> {
            throw new ReferenceMismatchException(null);
        };
        TarUnpacker unpacker = new TarUnpacker(
                Workspace.own(folder, through), Set.of("Foo", "foo"), UnpackHarness.files(writers), failing);
        TarBytes first = new TarBytes()
                .link("Foo", "../neighbour/new")
                .special((byte) TarHeader.DELTA, "foo", "")
                .end();
        unpacker.unpack(new ByteArrayInputStream(first.bytes()));
        assertEquals(Set.of("foo", "Foo"), unpacker.missing(), "one path on this disk");
        read(
                unpacker,
                new TarBytes()
                        .link("Foo", "../neighbour/new")
                        .file("foo", "content")
                        .end());
        assertEquals(Set.of(), unpacker.missing());
        unpacking.assertNeighbourUntouched();
        assertTrue(Files.isRegularFile(folder.resolve("foo"), LinkOption.NOFOLLOW_LINKS));
    }

    private static void read(TarUnpacker unpacker, TarBytes tar) throws IOException {
        try {
            unpacker.unpack(new ByteArrayInputStream(tar.bytes()));
        } finally {
            unpacker.close(() -> {});
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MAC", "WINDOWS"})
    void linkReplacesFileOfAnotherSpelling(Disk kind) throws Exception {
        use(kind);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes().file("Foo", "content").link("foo", "bar").end(), "Foo", "foo");
        assertTrue(Files.isSymbolicLink(folder.resolve("Foo")));
        assertCollisions(1, "foo", unpacker);
    }

    @ParameterizedTest
    @EnumSource(names = {"MAC", "WINDOWS"})
    void folderIsNeverReplaced(Disk kind) throws Exception {
        use(kind);
        for (String content : new String[] {"Lib/x", "Lib"}) {
            String place = " lib: another entry has taken its place";
            TarBytes first = content.equals("Lib") ? new TarBytes().folder("Lib") : new TarBytes().file(content, "x");
            unpacking.refuse(
                    new TarBytes()
                            .raw(first.bytes())
                            .link("lib", "../neighbour")
                            .end(),
                    place,
                    content,
                    "lib");
            Files.deleteIfExists(folder.resolve("Lib/x"));
            Files.delete(folder.resolve("Lib"));
            unpacking.refuse(new TarBytes().raw(first.bytes()).file("lib", "y").end(), place, content, "lib");
            assertTrue(Files.isDirectory(folder.resolve("lib"), LinkOption.NOFOLLOW_LINKS));
            Files.deleteIfExists(folder.resolve("Lib/x"));
            Files.delete(folder.resolve("Lib"));
        }
    }

    @Test
    void linksAreSkippedIfDiskHasNone() throws Exception {
        use(Disk.WITHOUT_LINKS);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes()
                        .link("lib/libx.so", "libx.so.1")
                        .file("lib/libx.so.1", "content")
                        .link("lib/liby.so", "liby.so.1")
                        .end(),
                "lib/libx.so",
                "lib/libx.so.1",
                "lib/liby.so");
        assertEquals("content", Files.readString(folder.resolve("lib/libx.so.1")));
        assertFalse(Files.exists(folder.resolve("lib/libx.so"), LinkOption.NOFOLLOW_LINKS));
        String reason = unpacker.warnings().get(0).reason();
        assertEquals(
                List.of(new ExtractionWarning(ExtractionWarning.Type.SYMLINK_NOT_CREATED, 2, "lib\\libx.so", reason)),
                unpacker.warnings());
        assertFalse(reason.isBlank());
    }

    @Test
    void linkWithInvalidTargetIsSkipped() throws Exception {
        use(Disk.WINDOWS);
        TarUnpacker unpacker = unpacking.unpack(
                new TarBytes().link("a", "what?").file("b", "x").end(), "a", "b");
        assertTrue(Files.exists(folder.resolve("b")));
        assertEquals(
                ExtractionWarning.Type.SYMLINK_NOT_CREATED,
                unpacker.warnings().get(0).type());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..\\neighbour\\file",
                "a\\..\\..\\neighbour\\file",
                "C:\\home\\neighbour\\file",
                "C:/home",
                "\\home",
                "\\\\server\\share\\file",
                "C:",
                "a/..\\..\\neighbour/new",
                "\\..\\x",
                "a:b",
                "con?"
            })
    void windowsNameOutsideFolderIsRefused(String name) throws Exception {
        use(Disk.WINDOWS);
        // a raw header, because the library would replace backslashes
        unpacking.refuse(new TarBytes().extended('L', name).file("x", "evil").end(), "Refused " + name, "a", "x");
    }
}
