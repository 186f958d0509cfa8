package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks into a folder with content. The result equals that of {@link AsCore}, except where core fails. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
class SameAsCoreTest extends WorkspaceTestBase {
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
}
