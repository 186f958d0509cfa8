package io.jenkins.plugins.compressionaware.engine.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnpackScriptTest {
    private static final String SCRIPT =
            Page.root().resolve("scripts/unpack-artifacts").toString();

    private static final String STORE = "builds\tregion\thttp://store\ttrue\ts3\t\tCRC32C";
    private static final String ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    private static final String KEY = "prefix/id/" + ID + ".tar.zst";
    private static final String LARGE = "prefix/id/6ba7b811-9dad-11d1-80b4-00c04fd430c8/large_file.iso";

    @TempDir
    Path home;

    private Path archive;
    private Path stored;

    @BeforeEach
    void prepare() throws Exception {
        assumeTrue(Command.works("zstd", "--version"), "zstd is not installed");
        archive = Files.createDirectories(home.resolve("jobs/a job/builds/1")).resolve("archive");
        stored = home.resolve("store");
    }

    @Test
    void allStepsBecomeFiles() throws Exception {
        Path tree = RandomTree.create(home.resolve("tree"), 6);
        FileTrees.write(tree, "twice", "first");
        Packed.archive(tree, archive);
        Path second = home.resolve("second");
        FileTrees.write(second, "twice", "second");
        Packed.archive(second, archive);
        FileTrees.write(archive, "plain/x", "plain");
        FileTrees.write(tree, "twice", "second");
        FileTrees.write(tree, "plain/x", "plain");
        Command.run("sh", "-c", "cd '" + archive.getParent() + "' && sh '" + SCRIPT + "' .");
        assertEquals("", Command.run("diff", "-r", "--no-dereference", tree.toString(), archive.toString()));
    }

    /** An agent may archive links and files whose names lead out of the archive. */
    @Test
    void nothingIsWrittenOrReadOutside() throws Exception {
        FileTrees.write(home, "outside/key", "secret");
        Path first = Files.createDirectories(home.resolve("first"));
        Files.createSymbolicLink(first.resolve("a"), home.resolve("outside"));
        Packed.archive(first, archive);
        FileTrees.write(archive, "a/key", "plain");
        assertFalse(Command.works("sh", SCRIPT, home.toString()));
        assertEquals("secret", Files.readString(home.resolve("outside/key")));
        Files.delete(archive.resolve("a/key"));
        Files.delete(archive.resolve("a"));
        String twoLines = "x\n" + home.resolve("outside/key");
        String escaped = "\\056\\056\\057outside";
        FileTrees.write(archive, twoLines, "plain");
        FileTrees.write(archive, escaped, "plain");
        Command.run("sh", SCRIPT, home.toString());
        assertEquals("plain", Files.readString(archive.resolve(twoLines)));
        assertEquals("plain", Files.readString(archive.resolve(escaped)));
        assertFalse(Files.exists(archive.resolve("outside"), LinkOption.NOFOLLOW_LINKS));
    }

    /** Otherwise a build chooses the names beside the folder. */
    @Test
    void foldersInsideAnArchiveStay() throws Exception {
        FileTrees.write(home, "outside/key", "secret");
        FileTrees.write(home.resolve("tree"), "a", "text");
        Packed.archive(home.resolve("tree"), archive);
        FileTrees.write(archive, "b/archive/packed-artifacts/x", "plain");
        Files.createSymbolicLink(archive.resolve("b/archive.unpacking"), home.resolve("outside"));
        Command.run("sh", SCRIPT, home.toString());
        assertEquals("plain", Files.readString(archive.resolve("b/archive/packed-artifacts/x")));
        assertTrue(Files.isSymbolicLink(archive.resolve("b/archive.unpacking")));
        assertEquals("secret", Files.readString(home.resolve("outside/key")));
    }

    /** The controller reads no entry there, as Jenkins itself. */
    @Test
    void entriesAfterTheEndAreNotUnpacked() throws Exception {
        FileTrees.write(home, "tree/a", "text");
        Packed.archive(home.resolve("tree"), archive);
        Path packed = archive.resolve("packed-artifacts/1.tar.zst");
        FileTrees.write(home, "hidden/b", "text");
        Command.run("sh", "-c", "tar -cf - -C '" + home.resolve("hidden") + "' b | zstd -q >> '" + packed + "'");
        assertFalse(Command.works("sh", SCRIPT, home.toString()));
        assertTrue(Files.exists(packed));
    }

    /** Moves the packed archive to a store, where a single file has an object, and returns the record. */
    private StoredRecord store(String content) throws Exception {
        Path packed = archive.resolve("packed-artifacts/1.tar.zst");
        FileTrees.write(stored, LARGE, content);
        Files.move(packed, stored.resolve(KEY));
        StoredRecord large = new StoredRecord(STORE, LARGE, content.length(), "tag", List.of());
        StoredRecord record = new StoredRecord(STORE, KEY, Files.size(stored.resolve(KEY)), "tag", List.of(large));
        record.write(packed, new byte[9]);
        FileTrees.write(archive.resolveSibling("stored-objects"), ID, String.join("\n", STORE, KEY, LARGE, ""));
        return record;
    }

    /** Packs a tree whose large file is in an object, and returns the tree with that file. */
    private Path storedTree() throws Exception {
        Path tree = RandomTree.create(home.resolve("tree"), 7);
        Path link = Files.createDirectories(tree.resolve("one more")).resolve("large file.iso");
        Files.createSymbolicLink(link, Path.of(LARGE));
        Packed.archive(tree, archive);
        Files.delete(link);
        FileTrees.write(tree, "one more/large file.iso", "large");
        return tree;
    }

    private String unpackStored() {
        return "FETCH='cat \"" + stored + "/$key\"' sh '" + SCRIPT + "' '" + home + "'";
    }

    @Test
    void objectsBecomeFiles() throws Exception {
        Path tree = storedTree();
        store("large");
        Path second = home.resolve("second");
        FileTrees.write(second, "twice", "second");
        Packed.archive(second, archive);
        FileTrees.write(tree, "twice", "second");
        Command.run("sh", "-c", unpackStored());
        assertEquals("", Command.run("diff", "-r", "--no-dereference", tree.toString(), archive.toString()));
    }

    @Test
    void objectsAreReadFromTheirStore() throws Exception {
        Path tree = storedTree();
        store("large");
        Path tools = Files.createDirectory(home.resolve("tools"));
        Path aws = FileTrees.write(tools, "aws", """
            #!/bin/sh
            [ "$1 $2 $3 $4 $5 $6 $8" = "s3 cp --region region --endpoint-url http://store -" ] && cat "%s/${7#s3://builds/}"
            """.formatted(stored));
        assertTrue(aws.toFile().setExecutable(true));
        Command.run("sh", "-c", "PATH='" + tools + "':\"$PATH\" sh '" + SCRIPT + "' '" + home + "'");
        assertEquals("", Command.run("diff", "-r", "--no-dereference", tree.toString(), archive.toString()));
    }

    private void assertStored() throws Exception {
        assertFalse(Command.works("sh", "-c", unpackStored()));
        assertEquals(List.of("packed-artifacts"), FileTrees.list(archive));
    }

    /** An agent may archive a record, and so read objects with the credentials of the administrator. */
    @Test
    void otherObjectsStay() throws Exception {
        storedTree();
        StoredRecord record = store("large");
        Path list = archive.resolveSibling("stored-objects").resolve(ID);
        for (List<String> lines : List.of(
                List.of(STORE, KEY), List.of(STORE, LARGE), List.of("other\t" + STORE, KEY, LARGE), List.of(""))) {
            Files.write(list, lines);
            assertStored();
        }
        Files.delete(list);
        assertStored();
        FileTrees.write(archive.resolveSibling("stored-objects"), ID, String.join("\n", STORE, KEY, LARGE));
        Path file = archive.resolve("packed-artifacts/1.tar.zst");
        Files.delete(file);
        new StoredRecord(STORE, "../" + ID, record.length(), "tag", record.files()).write(file, new byte[9]);
        assertStored();
        assertEquals("large", Files.readString(stored.resolve(LARGE)));
    }

    @Test
    void damagedObjectsStay() throws Exception {
        storedTree();
        store("large");
        for (String damaged : List.of(KEY, LARGE)) {
            byte[] bytes = Files.readAllBytes(stored.resolve(damaged));
            Files.write(stored.resolve(damaged), java.util.Arrays.copyOf(bytes, bytes.length - 1));
            assertStored();
            Files.delete(stored.resolve(damaged));
            assertStored();
            Files.write(stored.resolve(damaged), bytes);
        }
        Command.run("sh", "-c", unpackStored());
    }

    /** The controller never reads the tar. */
    @Test
    void fileRunsAsNobodyElse() throws Exception {
        Path link = Files.createDirectories(home.resolve("tree")).resolve("x");
        Files.createSymbolicLink(link, Path.of(LARGE));
        Path packed =
                Files.createDirectories(archive.resolve("packed-artifacts")).resolve("1.tar.zst");
        Command.run("sh", "-c", "tar --mode=7755 -cf - -C '" + link.getParent() + "' x | zstd -q > '" + packed + "'");
        store("large");
        Command.run("sh", "-c", unpackStored());
        assertEquals(
                "755",
                Command.run("stat", "-c", "%a", archive.resolve("x").toString()).strip());
    }

    /** The next step may free space, so that a later copy succeeds. */
    @Test
    void failedCopyLeavesTheArchive() throws Exception {
        for (String name : List.of("first", "second")) {
            FileTrees.write(home.resolve(name), "a " + name, "text");
            FileTrees.write(home.resolve(name), "b " + name, "text");
            Packed.archive(home.resolve(name), archive);
        }
        Path tools = Files.createDirectory(home.resolve("tools"));
        Path cat = FileTrees.write(
                tools,
                "cat",
                "#!/bin/sh\n[ -e '" + home + "/failed' ] && exec /bin/cat \"$1\"\n" + "touch '" + home
                        + "/failed'; head -c 1024 \"$1\"; exit 1\n");
        assertTrue(cat.toFile().setExecutable(true));
        assertFalse(Command.works("sh", "-c", "PATH='" + tools + "':\"$PATH\" sh '" + SCRIPT + "' '" + home + "'"));
        assertEquals(List.of("packed-artifacts"), FileTrees.list(archive));
    }

    /** The controller would not unpack it, either. */
    @Test
    void tarWithoutALargeFileStays() throws Exception {
        FileTrees.write(home, "tree/a", "text");
        Packed.archive(home.resolve("tree"), archive);
        store("large");
        assertStored();
    }

    @Test
    void damagedArchiveStays() throws Exception {
        Path tree = home.resolve("tree");
        FileTrees.write(tree, "a", "text");
        Packed.archive(tree, archive);
        Path packed = archive.resolve("packed-artifacts/1.tar.zst");
        Files.write(packed, java.util.Arrays.copyOf(Files.readAllBytes(packed), 60));
        assertFalse(Command.works("sh", SCRIPT, home.toString()));
        assertTrue(Files.exists(packed));
        assertEquals(
                1,
                FileTrees.list(archive.getParent()).stream()
                        .filter(n -> n.startsWith("archive"))
                        .count());
    }
}
