package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapUnstashCallable;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small stashes, which the controller sends as gzip members. A stash never contains lz4. */
class InlineStashTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int BLOCK = 64 << 10;

    @TempDir
    private Path folder;

    private int files;

    private Path tree(byte[] content) throws IOException {
        Path tree = Files.createDirectories(folder.resolve("tree"));
        Files.write(tree.resolve("file"), content);
        return tree;
    }

    private Path stash(byte[] content, Codec codec) throws Exception {
        Path tree = tree(content);
        SendOptions options = new SendOptions(codec, codec.defaultLevel(), BLOCK, 1);
        return CapturedTransfer.store(tree, FileTrees.names(tree), options, folder.resolve(files++ + ".tar.zst"));
    }

    private Path store(List<byte[]> frames) throws IOException {
        Path file = folder.resolve(files++ + ".tar.zst");
        try (FrameFileWriter writer = new FrameFileWriter(file, folder.resolve("partial"), BLOCK, Long.MAX_VALUE)) {
            for (byte[] frame : frames) {
                writer.append(FrameEnvelope.forFirstByte(frame[0]).read(frame), frame, frame.length);
            }
            writer.finish();
            writer.commit();
        }
        return file;
    }

    private static InlineStash inline(Path file) throws Exception {
        try (FrameFile frames = FrameFile.open(file)) {
            return InlineStash.of(frames, Runnable::run);
        }
    }

    private static byte[] tar(Path file) throws IOException {
        try (FrameFile frames = FrameFile.open(file);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(frames, Runnable::run)) {
            return tar.readAllBytes();
        }
    }

    private static byte[] framesOf(Path file) throws IOException {
        try (FrameFile frames = FrameFile.open(file)) {
            return Arrays.copyOf(Files.readAllBytes(file), (int) frames.wireBytes());
        }
    }

    private static byte[] decompressed(byte[] members) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(members)).readAllBytes();
    }

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) ("abcdefgh".charAt(i % 7) + i / 1000 % 5);
        }
        return text;
    }

    @ParameterizedTest
    @EnumSource(names = "LZ4", mode = EnumSource.Mode.EXCLUDE)
    void onlySmallStashIsInline(Codec codec) throws Exception {
        InlineStash stash = inline(stash(new byte[MEBIBYTE], codec));
        assertNotNull(stash);
        assertTrue(stash.members().length < 10_000, stash.members().length + " bytes");
        assertNull(inline(stash(FileTrees.noise(MEBIBYTE), codec)), "more than 1 MiB to send");
        assertNull(inline(stash(new byte[2 * MEBIBYTE], codec)), "more than 2 MiB of tar");
    }

    @Test
    void gzipFramesAreSentAsStored() throws Exception {
        Path file = stash(text(10 * BLOCK), Codec.GZIP);
        InlineStash stash = inline(file);
        assertArrayEquals(framesOf(file), stash.members());
        assertEquals(List.of(), stash.recompressed());
        assertArrayEquals(tar(file), decompressed(stash.members()));
    }

    @Test
    void framesOfOtherCodecsAreCompressedAgain() throws Exception {
        byte[] content = text(10 * BLOCK);
        System.arraycopy(FileTrees.noise(2 * BLOCK), 0, content, 3 * BLOCK, 2 * BLOCK);
        byte[] tar = tar(stash(content, Codec.GZIP));
        Codec[] codecs = {Codec.ZSTD, Codec.GZIP, Codec.GZIP, Codec.NONE, Codec.NONE, Codec.ZSTD, Codec.GZIP};
        List<byte[]> frames = new ArrayList<>();
        List<byte[]> gzip = new ArrayList<>();
        int again = 0;
        for (int at = 0; at < tar.length; at += BLOCK) {
            Codec codec = codecs[frames.size() % codecs.length];
            byte[] block = Arrays.copyOfRange(tar, at, Math.min(at + BLOCK, tar.length));
            frames.add(Frame.block(codec, frames.size(), block));
            if (codec == Codec.GZIP) {
                gzip.add(frames.get(frames.size() - 1));
            } else {
                again += block.length;
            }
        }
        int blocks = frames.size();
        assertEquals(11, blocks);
        frames.add(Frame.end(Codec.ZSTD, blocks));
        InlineStash stash = inline(store(frames));
        byte[] members = stash.members();
        assertArrayEquals(tar, decompressed(members));
        String sent = new String(members, StandardCharsets.ISO_8859_1);
        for (byte[] frame : gzip) {
            assertTrue(sent.contains(new String(frame, StandardCharsets.ISO_8859_1)));
        }
        int stored = gzip.stream().mapToInt(frame -> frame.length).sum();
        CodecLevel level = new CodecLevel(Codec.GZIP, BootstrapArchiveCallable.LEVEL);
        assertEquals(
                List.of(new CodecUsage(level, blocks - gzip.size(), again, members.length - stored, 0)),
                stash.recompressed());

        Path workspace = Files.createDirectory(folder.resolve("workspace"));
        new BootstrapUnstashCallable(members, false).invoke(workspace.toFile(), null);
        assertEquals(FileTrees.describe(folder.resolve("tree")), FileTrees.describe(workspace));
    }

    @Test
    void gzipStashIsUnpacked() throws Exception {
        Path file = stash(text(10 * BLOCK), Codec.GZIP);
        Path workspace = Files.createDirectory(folder.resolve("workspace"));
        new BootstrapUnstashCallable(inline(file).members(), false).invoke(workspace.toFile(), null);
        assertEquals(FileTrees.describe(folder.resolve("tree")), FileTrees.describe(workspace));
    }

    /** A hostile agent may send many small blocks, text and noise in turn. A member for each would cost a deflater each. */
    @Test
    void smallBlocksOfTextAndNoiseShareMember() throws Exception {
        byte[] noise = FileTrees.noise(1000);
        List<byte[]> frames = new ArrayList<>();
        while (frames.size() < 1000) {
            frames.add(Frame.block(Codec.NONE, frames.size(), frames.size() % 2 == 0 ? text(1000) : noise));
        }
        frames.add(Frame.end(Codec.NONE, frames.size()));
        byte[] members = inline(store(frames)).members();
        assertEquals(1_000_000, decompressed(members).length);
        InputStream sent = new FilterInputStream(new ByteArrayInputStream(members)) {
            @Override
            public int available() {
                return 0;
            }
        };
        GZIPInputStream first = new GZIPInputStream(sent, 1); // so that it ends after the first member
        assertEquals(1_000_000, first.readAllBytes().length);
    }

    /** A file without bytes of a tar is valid. */
    @ParameterizedTest
    @EnumSource(names = "LZ4", mode = EnumSource.Mode.EXCLUDE)
    void emptyTarIsAGzipMember(Codec codec) throws Exception {
        InlineStash stash = inline(store(List.of(Frame.end(codec, 0))));
        assertEquals(0, decompressed(stash.members()).length);
        assertEquals(List.of(), stash.recompressed());
    }

    /** The normal download reports where a file is damaged. */
    @ParameterizedTest
    @EnumSource(names = "LZ4", mode = EnumSource.Mode.EXCLUDE)
    void damagedBlockIsNotSent(Codec codec) throws Exception {
        Path file = stash(text(3 * BLOCK), codec);
        byte[] intact = Files.readAllBytes(file);
        byte[] frame = CapturedTransfer.frames(framesOf(file)).get(0);
        int prefix = codec.envelope().prefixLength();
        for (int position : new int[] {0, prefix - 1, prefix + 40, frame.length - 9, frame.length + prefix + 40}) {
            byte[] damaged = intact.clone();
            damaged[position] ^= 1;
            Files.write(file, damaged);
            assertNull(inline(file), "byte " + position);
        }
        Files.write(file, intact);
        assertNotNull(inline(file));
    }

    /** Gzip's own checksum does not replace the checksum of the block. */
    @Test
    void gzipMemberOfOtherBlockIsNotSent() throws Exception {
        byte[] block = text(1000);
        byte[] frame = Frame.block(Codec.GZIP, 0, block);
        FrameHeader header = FrameEnvelope.GZIP_EXTRA_FIELD.read(frame);
        assertNotNull(inline(store(List.of(frame, Frame.end(Codec.GZIP, 1)))));
        FrameHeader other = new FrameHeader(
                Codec.GZIP, 0, header.rawLength(), header.bodyLength(), Checksum.CRC32C, header.blockChecksum() ^ 1);
        FrameEnvelope.GZIP_EXTRA_FIELD.write(other, frame);
        assertNull(inline(store(List.of(frame, Frame.end(Codec.GZIP, 1)))));
    }

    /** The agent would decompress the rest of such a frame, too. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void gzipMemberThatIsLongerThanItsBlockIsNotSent(boolean second) throws Exception {
        byte[] block = Arrays.copyOf(text(1000), BLOCK);
        byte[] frame = Frame.block(Codec.GZIP, 0, second ? Arrays.copyOf(block, 1000) : block);
        byte[] more = second ? Frame.block(Codec.GZIP, 0, block) : new byte[0];
        byte[] longer = Arrays.copyOf(frame, frame.length + more.length);
        System.arraycopy(more, 0, longer, frame.length, more.length);
        int prefix = FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength();
        long checksum = Checksum.CRC32C.of(block, 0, 1000);
        FrameHeader header = new FrameHeader(Codec.GZIP, 0, 1000, longer.length - prefix, Checksum.CRC32C, checksum);
        FrameEnvelope.GZIP_EXTRA_FIELD.write(header, longer);
        assertNull(inline(store(List.of(longer, Frame.end(Codec.GZIP, 1)))));
    }

    /** A file that is damaged, or that other software wrote, may contain any number of blocks. */
    @ParameterizedTest
    @EnumSource(names = {"GZIP", "ZSTD"})
    void longerTarThanClaimedIsNotSent(Codec codec) throws Exception {
        Path file = stash(new byte[50 * MEBIBYTE], codec);
        Frame.claimRawBytes(file, 100_000);
        assertNull(inline(file), "the tar compresses to 50 kB, but is longer than claimed");
    }
}
