package io.jenkins.plugins.compressionaware.engine;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Frames of a compromised agent have valid checksums, but are rejected. */
@Timeout(60)
class HostileSenderTest {
    private static final int BLOCK = 64 * 1024;

    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;
    private Map<String, String> names;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("file"), new byte[3 * BLOCK]);
        names = FileTrees.names(workspace);
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.writeString(archive.resolve("file"), "earlier");
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void rejectsBlockLargerThanAgreed(Codec codec) throws Exception {
        byte[] stream =
                CapturedTransfer.stream(workspace, names, new SendOptions(codec, codec.defaultLevel(), 2 * BLOCK, 1));
        assertRejected(stream, "a block of 131072 bytes, more than the agreed 65536");
    }

    @Test
    void acceptsBlocksSmallerThanAgreed() throws Exception {
        byte[] stream = CapturedTransfer.stream(workspace, names, new SendOptions(Codec.NONE, 0, 1024, 1));
        CapturedTransfer.deliver(stream, archive, names.keySet(), BLOCK);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 2147483647",
        "1000, 1000000",
        "1000, 74753",
        "1000, 0",
        "1000, -1",
        "1000, -2147483648",
        "2147483647, 1000",
        "65537, 1000",
        "-1, 1000",
        "-2147483648, 1000"
    })
    void rejectsImpossibleSizes(int rawLength, int bodyLength) throws Exception {
        for (Codec codec : Codec.values()) {
            assertRejected(Frame.announcing(codec, rawLength, bodyLength), "bytes");
        }
    }

    @Test
    void rejectsDataAfterEndFrame() throws Exception {
        byte[] stream = CapturedTransfer.stream(workspace, names, new SendOptions(Codec.NONE, 0, BLOCK, 1));
        int blocks = CapturedTransfer.frames(stream).size();
        byte[] more = Frame.block(Codec.NONE, blocks, new byte[100]);
        try (Receiver receiver = new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, BLOCK, Runnable::run)) {
            OutputStream lane = receiver.inbox().newLane();
            lane.write(stream);
            assertFailsWith("more data after the end frame", () -> lane.write(more));
            assertFailsWith("more data after the end frame", () -> receive(receiver));
        }
        assertUnchanged();
    }

    @Test
    void rejectsDataAfterCommit() throws Exception {
        byte[] stream = CapturedTransfer.stream(workspace, names, new SendOptions(Codec.NONE, 0, BLOCK, 1));
        try (Receiver receiver = new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, BLOCK, Runnable::run)) {
            OutputStream lane = receiver.inbox().newLane();
            lane.write(stream);
            receive(receiver);
            receiver.commit();
            assertThrows(IOException.class, () -> lane.write(stream));
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    @Test
    void rejectsSenderThatExceedsCredit() throws Exception {
        int mebibyte = 1 << 20;
        try (Receiver receiver =
                new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, mebibyte, Runnable::run)) {
            OutputStream lane = receiver.inbox().newLane();
            int blocks = 0;
            IOException rejected = null;
            while (rejected == null) {
                byte[] frame = Frame.block(Codec.NONE, blocks, new byte[mebibyte]);
                try {
                    lane.write(frame);
                    blocks++;
                } catch (IOException e) {
                    rejected = e;
                }
                assertTrue(blocks <= Credit.WINDOW / mebibyte, "more than the window in memory");
            }
            assertTrue(
                    blocks >= Credit.WINDOW / mebibyte - 1,
                    "nearly a whole window fits, including the overhead of frames");
            assertTrue(rejected.getMessage().contains("does not wait"), rejected.getMessage());
            assertFailsWith("does not wait", () -> receive(receiver));
        }
        assertUnchanged();
    }

    /** Empty blocks would evade the limits of bytes around a tar entry and of raw bytes in a stash. */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void rejectsDataAfterEmptyBlock(Codec codec) throws Exception {
        byte[] empty =
                CapturedTransfer.join(List.of(Frame.block(codec, 0, new byte[0]), Frame.block(codec, 1, new byte[0])));
        assertRejected(empty, "more data after the end frame");
        Path stash = tmp.resolve("stash");
        try (Receiver receiver = new Receiver(
                size -> new FrameFileWriter(stash, tmp.resolve("partial"), size, Long.MAX_VALUE),
                BLOCK,
                Runnable::run)) {
            OutputStream lane = receiver.inbox().newLane();
            assertFails("more data after the end frame", () -> lane.write(empty));
        }
        assertUnchanged();
    }

    /** Sixty separate paths of maximum depth, each with 0.8 MB of folder names. */
    @Test
    void deepFoldersNeedLittleHeap() throws Exception {
        List<String> lines = Jvm.run(List.of("-Xmx36m"), DeepFolders.class, tmp.toString());
        assertEquals(List.of("60 entries"), lines);
    }

    /** Runs in a separate JVM. */
    static final class DeepFolders {
        private DeepFolders() {}

        public static void main(String[] args) throws Exception {
            Set<String> names = new LinkedHashSet<>();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8")) {
                tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
                for (int i = 0; i < 60; i++) {
                    String name = i + "/folder-9".repeat(400) + "/file";
                    names.add(name);
                    tar.putArchiveEntry(new TarArchiveEntry(name));
                    tar.closeArchiveEntry();
                }
            }
            byte[] frames = CapturedTransfer.join(
                    List.of(Frame.block(Codec.NONE, 0, bytes.toByteArray()), Frame.end(Codec.NONE, 1)));
            ReceiveReport report = CapturedTransfer.deliver(frames, Path.of(args[0], "deep"), names, 1 << 20);
            System.out.println(report.figures().entries() + " entries");
        }
    }

    private static ReceiveReport receive(Receiver receiver) throws Exception {
        return CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {
            throw new IOException(CapturedTransfer.NO_END);
        });
    }

    private void assertRejected(byte[] stream, String reason) throws Exception {
        assertFailsWith(reason, () -> CapturedTransfer.deliver(stream, archive, names.keySet(), BLOCK));
        assertUnchanged();
    }

    private void assertUnchanged() throws IOException {
        assertEquals("earlier", Files.readString(archive.resolve("file")));
        assertEquals(2, FileTrees.list(tmp).size(), "only workspace and archive are left");
    }
}
