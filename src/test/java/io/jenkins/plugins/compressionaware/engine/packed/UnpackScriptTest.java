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

    @TempDir
    Path home;

    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        assumeTrue(Command.works("zstd", "--version"), "zstd is not installed");
        archive = Files.createDirectories(home.resolve("jobs/a job/builds/1")).resolve("archive");
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

    /** It has no frames. */
    @Test
    void recordOfAnObjectStays() throws Exception {
        FileTrees.write(home, "tree/a", "text");
        Packed.archive(home.resolve("tree"), archive);
        Path record = archive.resolve("packed-artifacts/2.tar.zst");
        new StoredRecord("store", "key", 100, "tag", List.of()).write(record, new byte[0]);
        assertFalse(Command.works("sh", SCRIPT, home.toString()));
        assertTrue(Files.exists(record));
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
