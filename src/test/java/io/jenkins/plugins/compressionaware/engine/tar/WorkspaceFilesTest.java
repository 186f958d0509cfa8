package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.engine.tar.TarPackerTest.tar;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.RecordedTar;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finds the file of a workspace that a name means, and archives a consistent state of it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkspaceFilesTest {
    private static final int LARGE = 2 * ScannedFile.MAX_PRELOADED_BYTES;

    @TempDir
    private Path tmp;

    private Path workspace;

    @BeforeEach
    void prepare() throws IOException {
        workspace = Files.createDirectories(tmp.resolve("workspace"));
    }

    private static byte[] filled(int size, int value) {
        byte[] content = new byte[size];
        Arrays.fill(content, (byte) value);
        return content;
    }

    /** Core's scanner concatenates strings, so {@code /sub/x} is not relative to the root. */
    @ParameterizedTest
    @ValueSource(strings = {"/sub/x", "//sub/x", "sub//x", "./sub/x", "sub/../sub/x"})
    void nameIsRelativeToWorkspace(String value) throws IOException {
        Files.writeString(Files.createDirectory(workspace.resolve("sub")).resolve("x"), "hi");
        assertEquals("hi", packed(Map.of("x", value)));
    }

    /** It is not the file that has the entry's name in the archive. */
    @Test
    void emptyPathIsTheWorkspace() throws IOException {
        Files.writeString(workspace.resolve("x"), "another");
        Map<String, String> files = FileSelection.ByName.of(Map.of("x", "")).list(workspace.toFile());
        assertTrue(tar(TarPackerTest.pack(workspace, files)).getNextEntry().isDirectory());
    }

    @Test
    void absolutePathOfAgentIsNotRead() throws IOException {
        Path secret = Files.writeString(tmp.resolve("secret"), "secret");
        IOException refused = assertThrows(IOException.class, () -> packed(Map.of("x", secret.toString())));
        assertEquals("Cannot archive " + secret + ": there is no such file", refused.getMessage());
        Path below = workspace.resolve(secret.toString().substring(1));
        Files.createDirectories(below.getParent());
        Files.writeString(below, "below");
        assertEquals("below", packed(Map.of("x", secret.toString())));
    }

    @Test
    void backslashIsPartOfName() throws IOException {
        assumeTrue(Path.of("a\\b").getNameCount() == 1, "Untested: a backslash separates names here");
        Files.writeString(workspace.resolve("\\sub\\x"), "hi");
        assertEquals("hi", packed(Map.of("x", "\\sub\\x")));
    }

    @Test
    void fifoIsRefusedWithoutOpening() throws IOException {
        assumeTrue(Command.works("mkfifo", workspace.resolve("p").toString()), "Untested: no FIFO can be made here");
        assertRefused("p");
    }

    @Test
    void linkToFifoIsSentAsLink() throws IOException {
        assumeTrue(Command.works("mkfifo", workspace.resolve("p").toString()), "Untested: no FIFO can be made here");
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("p"));
        byte[] tar = TarPackerTest.pack(workspace, Map.of("link", "link"));
        assertEquals("p", tar(tar).getNextEntry().getLinkName());
    }

    /** The files are sparse. {@code available} returns an int. */
    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE - 1L, Integer.MAX_VALUE, Integer.MAX_VALUE + 1L, 5L << 30})
    void sizeOfHugeFileIsFound(long size) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(workspace.resolve("huge").toFile(), "rw")) {
            file.setLength(size);
        }
        try (InputStream in = Files.newInputStream(workspace.resolve("huge"))) {
            assertEquals(size, ScannedFile.size(in));
            assertEquals(0, in.read(), "the position is the start again");
        }
    }

    @Test
    void socketIsRefused() throws IOException {
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(workspace.resolve("s")));
            assertRefused("s");
        }
    }

    @Test
    void deviceIsRefused() throws IOException {
        assumeTrue(
                Command.works("mknod", workspace.resolve("n").toString(), "c", "1", "3"),
                "Untested: a device, which only root can make");
        assertRefused("n");
    }

    private void assertRefused(String name) {
        IOException refused = assertThrows(IOException.class, () -> packed(Map.of("x", name)));
        assertEquals("Cannot archive " + name + ": it is neither a file nor a folder", refused.getMessage());
    }

    /** Size and content are those of the opened file, although another file was scanned. */
    @ParameterizedTest
    @ValueSource(ints = {LARGE - 1, LARGE + 1, 1, 0})
    void fileReplacedAfterScanIsConsistent(int size) throws IOException {
        Files.writeString(workspace.resolve("a"), "first");
        Path large = Files.write(workspace.resolve("b"), filled(LARGE, 1));
        byte[] successor = filled(size, 2);
        RecordedTar sink = new RecordedTar() {
            @Override
            public void startEntry(String name, long size) throws IOException {
                if (name.equals("a")) {
                    Path beside = Files.write(workspace.resolve("beside"), successor);
                    Files.move(beside, large, StandardCopyOption.ATOMIC_MOVE);
                }
            }
        };
        try (TarPacker packer = new TarPacker(sink, Runnable::run, EntryEncoder.NONE)) {
            packer.pack(workspace, Map.of("a", "a", "b", "b"), UnpackHarness.always(2));
            assertEquals(5 + size, packer.contentBytes());
        }
        try (TarArchiveInputStream tar = tar(sink.bytes.toByteArray())) {
            tar.getNextEntry();
            TarArchiveEntry entry = tar.getNextEntry();
            assertEquals(size, entry.getSize());
            assertArrayEquals(successor, tar.readAllBytes());
        }
    }

    /** A small file is read during the scan. */
    @Test
    void repeatedlyReplacedFileIsConsistent() throws Exception {
        Path file = Files.write(workspace.resolve("file"), filled(1, 1));
        Thread writer = new Thread(() -> {
            try {
                for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                    int size = 1 + i % 50;
                    Path beside = Files.write(workspace.resolve("beside"), filled(size, size));
                    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        writer.start();
        try {
            for (int i = 0; i < 3_000; i++) {
                String content = packed(Map.of("x", "file"));
                assertEquals(
                        String.valueOf((char) content.length()).repeat(content.length()), content, "torn: " + content);
            }
        } finally {
            writer.interrupt();
            writer.join();
        }
    }

    private String packed(Map<String, String> files) throws IOException {
        try (TarArchiveInputStream tar = tar(TarPackerTest.pack(workspace, files))) {
            assertTrue(tar.getNextEntry().isFile());
            return new String(tar.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
