package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Links of a tar, and links in the folder into which it is unpacked. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
class WorkspaceLinksTest extends WorkspaceTestBase {
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
