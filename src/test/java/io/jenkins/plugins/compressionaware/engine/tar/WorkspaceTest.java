package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks into a folder with content. The result equals that of {@link AsCore}, except where core fails. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
@Timeout(60)
class WorkspaceTest {
    /** Number of files in parallel. */
    @Parameter
    private int writers;

    @TempDir
    private Path tmp;

    /**
     * @param prepare shell commands to run in the workspace; they fail if this machine does not support the case
     * @param end     shell commands to run afterwards, even after a failure
     */
    record Row(String what, String prepare, TarBytes tar, String end) {
        Row(String what, String prepare, TarBytes tar) {
            this(what, prepare, tar, ":");
        }

        @Override
        public String toString() {
            return what;
        }
    }

    private static TarBytes tar() {
        return new TarBytes();
    }

    private static TarBytes file(String name, int mode) {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setMode(mode);
        entry.setModTime(new Date(1_700_000_000_000L));
        return tar().entry(entry, "new");
    }

    static Stream<Row> resultEqualsThatOfCore() {
        String long255 = "n".repeat(250);
        return Stream.of(
                new Row("nothing there", ":", file("a/b/c", 0640).link("a/l", "b")),
                new Row("longer file", "seq 1 9999 > f; chmod 600 f", file("f", 0755)),
                new Row("no mode", "echo old > f; chmod 640 f", file("f", 0)),
                new Row("hard link", "echo old > f; ln f link", file("f", 0644)),
                new Row(
                        "mask",
                        "umask 077; mkdir d; echo old > d/f",
                        file("d/f", 0666).file("d/g", "x")),
                new Row("link to a file", "mkdir d; echo old > d/real; ln -s d/real f", file("f", 0600)),
                new Row("dangling link", "mkdir d; ln -s d/new f", file("f", 0600)),
                new Row("chain of dangling links", "mkdir d; ln -s d/e f; ln -s ../g d/e", file("f", 0600)),
                new Row("setuid file", "echo old > f; chmod 4755 f", file("f", 0755)),
                new Row("link to nowhere", "ln -s no/new f", file("f", 0600)),
                new Row("links in a circle", "ln -s g f; ln -s f g", file("f", 0600)),
                new Row("link to a folder", "mkdir real; ln -s real d; ln -s d e", file("e/f/g", 0600)),
                new Row("link to a file for a folder", "echo old > real; ln -s real d", file("d/f", 0600)),
                new Row("dangling link for a folder", "ln -s real d", file("d/f", 0600)),
                new Row("link that leads out", "mkdir ../out; ln -s ../out d", file("d/f", 0600), "rm -r ../out"),
                new Row("file for a folder", "echo old > d", file("d/f", 0600)),
                new Row("folder for a file", "mkdir -p f/g", file("f", 0600)),
                new Row("empty folder for a file", "mkdir f", file("f", 0600)),
                new Row("link over a link", "mkdir d; ln -s d l", tar().link("l", "e")),
                new Row("link over a file", "echo old > l", tar().link("l", "e")),
                new Row("link over an empty folder", "mkdir l", tar().link("l", "e")),
                new Row("link over a full folder", "mkdir l; touch l/x", tar().link("l", "e")),
                new Row(
                        "links twice",
                        "mkdir t; ln -s t l",
                        tar().file("t/x", "x").link("l", "t")),
                new Row(
                        "folder where one is",
                        "mkdir -m 711 d",
                        tar().folder("d").folder("e")),
                new Row("names of full length", ":", file(long255 + "/" + long255, 0644)),
                new Row(
                        "path of full length",
                        "cd -P .; d=$(printf '%0200d' 0); while [ ${#PWD} -lt 3600 ]; do mkdir $d; cd $d; done",
                        file((("0".repeat(200) + "/").repeat(18)) + "n".repeat(180), 0644)),
                new Row(
                        "folder that may not be changed",
                        "[ $(id -u) != 0 ]; mkdir d; echo old > d/f; chmod 555 d",
                        file("d/f", 0640),
                        "chmod 755 d"),
                new Row("new file there", "[ $(id -u) != 0 ]; mkdir -m 555 d", file("d/f", 0640)),
                new Row("immutable folder", "mkdir d; echo old > d/f; chattr +i d", file("d/f", 0640), "chattr -i d"),
                new Row(
                        "setgid folder",
                        "mkdir -p d; chgrp $(id -G | tr ' ' '\\n' | grep -v $(id -g) | head -1 | grep . || echo 1) d; "
                                + "chmod 2775 d",
                        file("d/e/f", 0640).file("d/g", "x")),
                new Row(
                        "default ACL",
                        "mkdir d; python3 -c \"import os, struct; os.setxattr('d', 'system.posix_acl_default', "
                                + "struct.pack('<I' + 'HHI' * 5, 2, 1, 7, 0xffffffff, 2, 7, 1, 4, 5, 0xffffffff, "
                                + "16, 7, 0xffffffff, 32, 5, 0xffffffff))\"",
                        file("e", 0644).file("d/e/f", "x").file("d/g", "x")),
                new Row(
                        "file that is a mount",
                        "echo old > f; echo src > ../src; mount --bind ../src f",
                        file("f", 0640).file("z", "z"),
                        "umount f; cat ../src >&2; rm ../src"),
                new Row(
                        "file of another user, for all",
                        "[ $(id -u) = 0 ]; echo old > f; chown daemon f",
                        file("f", 0640)));
    }

    @ParameterizedTest
    @MethodSource
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "rows are shell commands")
    void resultEqualsThatOfCore(Row row) throws Exception {
        byte[] tar = row.tar.end().bytes();
        for (boolean follows : new boolean[] {false, true}) {
            String core = seen(row, "core", folder -> AsCore.unpack(tar, folder, follows));
            String ours = seen(row, "ours", folder -> unpack(folder, follows, tar));
            assertEquals(core, ours, row + ", follows " + follows);
        }
    }

    private interface Unpack {
        void into(Path folder) throws IOException;
    }

    private String seen(Row row, String name, Unpack unpack) throws Exception {
        Path home = Files.createDirectory(tmp.resolve(name));
        Path folder = Files.createDirectory(home.resolve("w"));
        assumeTrue(sh(folder, "set -e; " + row.prepare) == 0, "this machine does not support the case");
        try {
            Map<String, Object> before = inodes(home);
            boolean fails = false;
            try {
                unpack.into(folder);
            } catch (IOException e) {
                fails = true;
            }
            return (fails ? "fails\n" : "") + describe(home, before);
        } finally {
            sh(folder, row.end);
            FileTrees.delete(home);
        }
    }

    private static int sh(Path folder, String script) throws Exception {
        return new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static Map<String, Object> inodes(Path home) throws IOException {
        Map<String, Object> inodes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(home)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                inodes.put(
                        home.relativize(path).toString(),
                        Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS));
            }
        }
        return inodes;
    }

    /** Describes types, owners, modes with setgid, links, contents, times of extracted files, and whether each file has kept its inode. */
    private static String describe(Path home, Map<String, Object> before) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Object> each : inodes(home).entrySet()) {
            Path path = home.resolve(each.getKey());
            Map<String, Object> all = Files.readAttributes(path, "unix:*", LinkOption.NOFOLLOW_LINKS);
            text.append(each.getKey()).append(' ').append(all.get("mode")).append(' ');
            text.append(all.get("uid")).append(':').append(all.get("gid"));
            if (Files.isSymbolicLink(path)) {
                text.append(" -> ").append(Files.readSymbolicLink(path));
            } else {
                text.append(each.getValue().equals(before.get(each.getKey())) ? " same" : "");
            }
            if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                long time = Files.getLastModifiedTime(path).toMillis();
                text.append(' ').append(all.get("nlink")).append(time == 1_700_000_000_000L ? " at its time " : " ");
                text.append(Files.size(path) < 100 ? Files.readString(path) : Files.size(path));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private void unpack(Path folder, boolean follows, byte[] tar) throws IOException {
        unpack(new Workspace(folder, new FileCreator(folder), follows), tar);
    }

    private TarUnpacker unpack(Workspace workspace, byte[] tar) throws IOException {
        return unpack(workspace, new ByteArrayInputStream(tar));
    }

    private TarUnpacker unpack(Workspace workspace, InputStream tar) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(workspace, null, UnpackHarness.files(writers), EntryDecoder.NONE);
        try {
            unpacker.unpack(tar);
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker;
    }

    static Stream<Row> succeedsWhereCoreFails() {
        return Stream.of(
                new Row("read-only file", "[ $(id -u) != 0 ]; echo old > f; chmod 444 f", file("f", 0444)),
                new Row(
                        "behind a link",
                        "[ $(id -u) != 0 ]; mkdir d; echo old > d/f; chmod 444 d/f; ln -s d/f f",
                        file("f", 0644)),
                new Row(
                        "program that runs",
                        "cp /bin/sleep f; ./f 60 & echo $! > pid; until readlink /proc/$!/exe | grep /f$; do :; done",
                        file("f", 0644),
                        "kill $(cat pid)"));
    }

    @ParameterizedTest
    @MethodSource
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "rows are shell commands")
    void succeedsWhereCoreFails(Row row) throws Exception {
        byte[] tar = row.tar.end().bytes();
        String core = seen(row, "core", folder -> AsCore.unpack(tar, folder, true));
        assertTrue(core.startsWith("fails\n"), core);
        seen(row, "ours", folder -> {
            unpack(folder, true, tar);
            assertEquals("new", Files.readString(folder.resolve("f")));
        });
    }

    /** Creates new nodes, because root could replace those that all processes use. */
    @ParameterizedTest
    @ValueSource(strings = {"mknod n c 1 3", "mkfifo n", "python3 -c \"import socket; socket.socket(1).bind('n')\""})
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no such files")
    void specialFilesAreNeverOpened(String make) throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        assumeTrue(sh(folder, make + " && ln -s n l && ln -s l k") == 0);
        Object node = inodes(folder).get("n");
        for (String name : List.of("n", "l", "k")) {
            for (boolean follows : new boolean[] {false, true}) {
                String what = follows || name.equals("n") ? "leads to a device, a pipe or a socket" : "a link, and";
                byte[] tar = file("a", 0644).file(name, "x").end().bytes();
                assertFailsWith("Refused " + name + ": " + name + " is ", () -> unpack(folder, follows, tar));
                assertFailsWith(what, () -> unpack(folder, follows, tar));
            }
        }
        Workspace workspace = new Workspace(folder, true);
        assertEquals(
                List.of(new ExtractionWarning(
                        ExtractionWarning.Type.SYMLINK_NOT_CREATED,
                        1,
                        "n",
                        "a device, a pipe or a socket is in its place")),
                unpack(workspace, tar().link("n", "x").end().bytes()).warnings());
        assertFailsWith(
                "Refused n/x: n is ",
                () -> unpack(folder, true, tar().file("n/x", "x").end().bytes()));
        assertEquals(node, inodes(folder).get("n"));
        assertEquals(List.of("a", "k", "l", "n"), FileTrees.list(folder));
    }

    static Stream<TarBytes> linksOfTarAreNotFollowed() {
        return Stream.of(
                tar().link("l", "../out").file("l/x", "evil"),
                tar().link("l", "../out").file("l/sub/x", "evil"),
                tar().link("l", "../out").folder("l/sub"),
                tar().link("l", "../out").link("l/x", "y"),
                tar().link("l", "../out/file").file("l", "evil"),
                tar().link("l", "../out/new").file("l", "evil"),
                // existing links that lead to links of the tar
                tar().link("there", "../out").file("to/x", "evil"),
                tar().link("there", "../out").link("to/x", "evil"),
                tar().link("to/x", "evil").link("there", "../out"),
                tar().link("empty", "../out").file("to empty/x", "evil"),
                tar().file("to empty/x", "evil").link("empty", "../out"),
                tar().link("there", "../out/file").file("to file", "evil"),
                tar().link("l", "../out").file("./l/x", "evil"),
                tar().link("l", "../out").file("d/../l/x", "evil"));
    }

    @ParameterizedTest
    @MethodSource
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "rows are shell commands")
    void linksOfTarAreNotFollowed(TarBytes tar) throws Exception {
        Path out = Files.createDirectory(tmp.resolve("out"));
        Files.writeString(out.resolve("file"), "untouched");
        byte[] bytes = tar.end().bytes();
        for (boolean follows : new boolean[] {false, true}) {
            Path folder = Files.createTempDirectory(tmp, "w");
            sh(
                    folder,
                    "mkdir real empty; ln -s real there; ln -s there to; ln -s empty 'to empty'; "
                            + "ln -s there/file 'to file'");
            try {
                unpack(folder, follows, bytes);
            } catch (IOException e) {
                assertTrue(e.getMessage().startsWith("Refused "), e.getMessage());
            }
            assertEquals(List.of("file"), FileTrees.list(out));
            assertEquals("untouched", Files.readString(out.resolve("file")));
        }
    }

    /** A kept link must not be created in a folder that a later link has replaced. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
    void keptLinksAreCreatedInTheirFolder() throws Exception {
        Path out = Files.createDirectory(tmp.resolve("out"));
        Files.writeString(out.resolve("file"), "untouched");
        for (String late : List.of("empty", "to empty")) {
            Path folder = Files.createDirectory(tmp.resolve("w " + late));
            Files.createDirectory(folder.resolve("empty"));
            Files.createSymbolicLink(folder.resolve("to empty"), Path.of("empty"));
            TarBytes tar = tar().link("empty/file", "evil")
                    .link("to empty/new", "evil")
                    .link("x", "y");
            byte[] bytes = tar.link(late, "../out").link("y", "z").end().bytes();
            for (int most = 500; most < 4_000; most += 100) {
                Workspace workspace = new Workspace(folder, true);
                workspace.links.maxHeap = most;
                try {
                    unpack(workspace, bytes);
                } catch (IOException e) {
                    assertTrue(e.getMessage().startsWith("Refused to empty/new: to empty is a link"), e.getMessage());
                }
                assertEquals(List.of("file"), FileTrees.list(out));
                assertFalse(Files.isSymbolicLink(out.resolve("file")), "limit " + most);
                FileTrees.delete(folder);
                Files.createDirectories(folder.resolve("empty"));
                Files.createSymbolicLink(folder.resolve("to empty"), Path.of("empty"));
            }
        }
    }

    /** Many short links need much heap, too. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
    void shortLinksCountWithObjectOverhead() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Workspace workspace = new Workspace(folder, true);
        workspace.links.maxHeap = 100 * 512;
        int kept = 0;
        for (int i = 0; i < 200; i++) {
            Path name = Path.of("l" + i);
            KeptLinks.Link link = new KeptLinks.Link(name, workspace.root.resolve(name), Path.of("x"));
            kept += workspace.links.keep(link) ? 1 : 0;
        }
        assertTrue(kept > 50 && kept < 100, kept + " kept");
    }

    /** If the links need more heap than allowed, no link is followed. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
    void linksBeyondHeapLimitAreNotFollowed() throws Exception {
        Path out = Files.createDirectory(tmp.resolve("out"));
        TarBytes tar = tar().file("there/first", "x").file("empty/../f", "x");
        for (int i = 0; i < 1_100; i++) {
            tar.link("l" + i, "t");
        }
        byte[] more = tar.folder("empty").link("empty", "../out").bytes();
        for (String evil : List.of("l1099/x", "empty/x", "l0/x", "there/x", "l1099", "l0", "")) {
            Path folder = Files.createDirectory(tmp.resolve("w " + evil.replace('/', ' ')));
            Files.createSymbolicLink(folder.resolve("there"), out);
            Files.createDirectory(folder.resolve("empty"));
            TarBytes all = tar().raw(more);
            Workspace workspace = new Workspace(folder, true);
            workspace.links.maxHeap = 100_000;
            if (evil.isEmpty()) {
                unpack(workspace, all.end().bytes());
                assertEquals(1_103, FileTrees.list(folder).size());
            } else {
                byte[] bytes = all.file(evil, "evil").end().bytes();
                assertFailsWith("Refused " + evil, () -> unpack(workspace, bytes));
            }
            assertEquals(List.of("first"), FileTrees.list(out));
        }
    }

    @Test
    void failureIsReportedAndNewPartialFileDeleted() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Files.writeString(folder.resolve("old"), "before");
        FileCreator full = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                return failing(path, super.create(path, mode, shared));
            }

            @Override
            OutputStream overwrite(Path path) throws IOException {
                return failing(path, super.overwrite(path));
            }
        };
        for (String name : List.of("new", "old")) {
            Workspace workspace = new Workspace(folder, full, true);
            byte[] tar =
                    tar().file("a", "x").file("b", "y").file(name, "full").end().bytes();
            assertFailsWith(
                    "Cannot write " + name + ": No space left on device. Missing or incomplete from " + name
                            + " on. Entries written: 2",
                    () -> unpack(workspace, tar));
            assertEquals(List.of("a", "b", "old"), FileTrees.list(folder));
        }
        assertEquals("", Files.readString(folder.resolve("old")), "the existing file is truncated, as in core");
    }

    private static OutputStream failing(Path path, OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (length == 4) {
                    throw new FileSystemException(path.toString(), null, "No space left on device");
                }
                out.write(bytes, offset, length);
            }
        };
    }

    @Test
    void truncatedStreamReportsMissingEntries() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        byte[] tar = tar().file("a", "x").file("d/b", "y".repeat(2_000)).end().bytes();
        Map<Integer, String> firstMissing = Map.of(2_236, "d/b", 1_024, "what follows a", 512, "", 0, "");
        firstMissing.forEach((length, from) -> {
            String message = assertThrows(
                            IOException.class, () -> unpack(new Workspace(folder, true), Arrays.copyOf(tar, length)))
                    .getMessage();
            assertTrue(message.contains(". Missing or incomplete from " + from), message);
            assertTrue(message.endsWith(" on. Entries written: " + (length < 1_024 ? 0 : 1)), message);
            assertFalse(Files.exists(folder.resolve("d/b")));
        });
    }

    /** Repeated stages unpack the same files over those of the stage before. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void diskWithSpaceForOneCopySuffices() throws Exception {
        byte[] tar = tar().file("f", "x".repeat(700_000)).end().bytes();
        try (MountedFileSystem disk = MountedFileSystem.small(tmp.resolve("disk"), 1)) {
            unpack(disk.folder(), true, tar);
            unpack(disk.folder(), true, tar);
            assertEquals(700_000, Files.size(disk.folder().resolve("f")));
        }
    }

    @Test
    void interruptLeavesNoPartialFile() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        byte[] tar = tar().file("a", "x").file("b", "y".repeat(3 << 20)).end().bytes();
        InputStream aborted = new FilterInputStream(new ByteArrayInputStream(tar)) {
            private int left = 1 << 20;

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (left <= 0) {
                    throw new InterruptedIOException("Interrupted");
                }
                int n = super.read(bytes, offset, length);
                left -= n;
                return n;
            }
        };
        assertThrows(InterruptedIOException.class, () -> unpack(new Workspace(folder, true), aborted));
        assertEquals(List.of("a"), FileTrees.list(folder));
    }

    /** Virus scanners hold new files open. */
    @Test
    void fileInUseIsRetriedOnWindows() throws Exception {
        try (FileSystem windows = Jimfs.newFileSystem(Configuration.windows())) {
            Path folder = Files.createDirectories(windows.getPath("w"));
            Files.writeString(folder.resolve("f"), "old");
            List<Long> pauses = new ArrayList<>();
            FileCreator inUse = inUse(folder, pauses, 4, pauses::add);
            byte[] tar = tar().file("f", "new").end().bytes();
            unpack(new Workspace(folder, inUse, false), tar);
            assertEquals("new", Files.readString(folder.resolve("f")));
            assertEquals(List.of(10L, 20L, 40L, 80L), pauses);
            pauses.clear();
            Workspace never = new Workspace(folder, inUse(folder, pauses, 1_000, pauses::add), false);
            assertFailsWith("Cannot write f: another process", () -> unpack(never, tar));
            assertEquals(10_000, pauses.stream().mapToLong(Long::longValue).sum(), 500);
            FileCreator interrupted = inUse(folder, List.of(), 1_000, millis -> {
                throw new InterruptedException();
            });
            Workspace aborted = new Workspace(folder, interrupted, false);
            assertThrows(IOException.class, () -> unpack(aborted, tar));
            Thread.interrupted();
            FileCreator waiting = inUse(folder, List.of(), 1_000, millis -> {
                throw new AssertionError("waits although the workspace is closed");
            });
            Workspace closed = new Workspace(folder, waiting, false);
            closed.close();
            assertFailsWith("another process", () -> unpack(closed, tar));
        }
    }

    private interface Waiting {
        void of(long millis) throws InterruptedException;
    }

    private static FileCreator inUse(Path folder, List<Long> pauses, int times, Waiting waiting) {
        return new FileCreator(folder) {
            @Override
            void pause(long millis) throws InterruptedException {
                waiting.of(millis);
            }

            @Override
            OutputStream overwrite(Path path) throws IOException {
                if (pauses.size() < times) {
                    throw new FileSystemException(path.toString(), null, "another process has it open");
                }
                return super.overwrite(path);
            }
        };
    }

    /** A parallel step may create the file. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows retries instead")
    void fileRecreatedDuringReplacementIsReplaced() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Path file = Files.writeString(folder.resolve("f"), "old");
        FileCreator denied = new FileCreator(folder) {
            @Override
            OutputStream overwrite(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }

            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (!path.equals(file)) {
                    Files.delete(file);
                    Files.writeString(file, "again");
                }
                return super.create(path, mode, shared);
            }
        };
        byte[] tar = tar().file("f", "new").end().bytes();
        unpack(new Workspace(folder, denied, false), tar);
        assertEquals("new", Files.readString(file));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
    void linkRecreatedDuringReplacementIsReplaced() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        AtomicInteger tries = new AtomicInteger();
        FileCreator beside = new FileCreator(folder) {
            @Override
            void link(Path path, Path target) throws IOException {
                if (tries.getAndIncrement() < 3) {
                    Files.createSymbolicLink(path, Path.of("another"));
                }
                super.link(path, target);
            }
        };
        Workspace workspace = new Workspace(folder, beside, false);
        byte[] tar = tar().link("l", "new").end().bytes();
        assertEquals(List.of(), unpack(workspace, tar).warnings());
        assertEquals(Path.of("new"), Files.readSymbolicLink(folder.resolve("l")));
    }

    /** Two spellings, or a link and its target, name the same file, which different threads may write. */
    @Test
    void contentsOfSameFileAreNotMixed() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path folder = Files.createDirectory(tmp.resolve("w" + round));
            Files.createDirectories(folder.resolve("lib"));
            Files.createSymbolicLink(folder.resolve("lib64"), Path.of("lib"));
            TarBytes tar = tar();
            for (int i = 0; i < 30; i++) {
                tar.file("lib/f" + i, "a".repeat(60_000)).file("lib64/f" + i, "b".repeat(50_000));
            }
            unpack(folder, true, tar.end().bytes());
            for (int i = 0; i < 30; i++) {
                byte[] bytes = Files.readAllBytes(folder.resolve("lib/f" + i));
                byte[] whole = String.valueOf((char) bytes[0])
                        .repeat(bytes[0] == 'a' ? 60_000 : 50_000)
                        .getBytes();
                assertArrayEquals(whole, bytes);
            }
        }
    }

    /** Both create the same folders, and the files of both exist afterwards. */
    @Test
    void parallelUnpackersIntoOneFolderSucceed() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier together = new CyclicBarrier(2);
        try {
            for (int round = 0; round < 20; round++) {
                Path folder = tmp.resolve("w" + round);
                List<Future<TarUnpacker>> both = new ArrayList<>();
                for (String name : List.of("one", "two")) {
                    TarBytes tar = tar();
                    for (int i = 0; i < 20; i++) {
                        tar.file("d" + i + "/" + name, name).file("d" + i + "/same", "same");
                        tar.link("d" + i + "/link", name);
                    }
                    byte[] bytes = tar.end().bytes();
                    Callable<TarUnpacker> task = () -> {
                        together.await();
                        Files.createDirectories(folder);
                        return unpack(new Workspace(folder, false), bytes);
                    };
                    both.add(threads.submit(task));
                }
                for (Future<TarUnpacker> each : both) {
                    assertEquals(List.of(), each.get().warnings());
                }
                for (int i = 0; i < 20; i++) {
                    assertEquals(List.of("link", "one", "same", "two"), FileTrees.list(folder.resolve("d" + i)));
                    assertEquals("same", Files.readString(folder.resolve("d" + i + "/same")));
                }
            }
        } finally {
            threads.shutdown();
        }
    }

    /** Core does not check whether the target itself is a link. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
    void targetFolderMayBeALink() throws Exception {
        Path elsewhere = Files.createDirectories(tmp.resolve("elsewhere"));
        Files.createSymbolicLink(tmp.resolve("again"), elsewhere);
        Path link = Files.createSymbolicLink(tmp.resolve("link"), Path.of("again"));
        for (boolean follows : new boolean[] {false, true}) {
            unpack(
                    new Workspace(link, follows),
                    file("d/" + follows, 0644).end().bytes());
        }
        assertEquals(List.of("false", "true"), FileTrees.list(elsewhere.resolve("d")));
    }

    @Test
    void coreSwitchOverridesSetting() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Files.createSymbolicLink(folder.resolve("l"), Path.of("f"));
        String property = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";
        byte[] tar = tar().file("l", "new").end().bytes();
        try {
            System.setProperty(property, "false");
            assertFailsWith("nothing is written through links", () -> unpack(folder, true, tar));
            System.setProperty(property, "true");
            unpack(folder, false, tar);
        } finally {
            System.clearProperty(property);
        }
        assertEquals("new", Files.readString(folder.resolve("f")));
    }
}
