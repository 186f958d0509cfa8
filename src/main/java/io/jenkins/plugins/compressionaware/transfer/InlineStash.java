package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClass;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClassifier;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A small stash that is sent whole, with the call that unpacks it, because loading the engine on a fresh agent would take longer. The agent gets the tar as gzip
 * members, which the JDK can read. A gzip frame is a gzip member, so it is sent as stored. Blocks of other codecs are compressed again.
 */
final class InlineStash {
    /** Level of gzip for blocks that are compressed again and are not noise. */
    private static final CodecLevel LEVEL = new CodecLevel(Codec.GZIP, BootstrapArchiveCallable.LEVEL);

    /** Maximum size of the tar in a small stash, bytes. The controller decodes, and if necessary compresses, that much within a few hundredths of a second. */
    private static final int MAX_RAW_BYTES = 2 << 20;

    /** Maximum bytes sent with one call, because other calls to the agent wait until these are sent. The classes of the engine have a quarter of this. */
    private static final int MAX_BYTES = 1 << 20;

    /** Bytes of a block that get one level. Noise takes three times as long to compress as text. */
    private static final int CHUNK = 16 << 10;

    /** Minimum bytes for which the level may change, because a member with a level of its own costs some microseconds. */
    private static final int MIN_CHUNK = 1 << 10;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Bytes of the tar that may follow; negative if there are more. */
    private long left;

    /** The last gzip member, if it is for blocks that are compressed again; otherwise null. */
    private Member member;

    private long recompressedBlocks;
    private long recompressedBytes;
    private long storedBytes;

    private InlineStash(long rawBytes) {
        left = rawBytes;
    }

    /** Returns whether a tar of this size, bytes, may be sent inline. */
    static boolean isSmall(long rawBytes) {
        return rawBytes <= MAX_RAW_BYTES;
    }

    /** Verifies all blocks of a stash and returns what to send; null if the stash is too large or damaged. */
    @CheckForNull
    static InlineStash of(FrameFile file, Executor executor) throws InterruptedException {
        if (!isSmall(file.rawBytes())) {
            return null;
        }
        InlineStash stash = new InlineStash(file.rawBytes());
        try (Closeable end = stash::endMember) {
            FrameFileTarInputStream.forEachFrame(file, executor, stash::append);
        } catch (IOException e) {
            // the normal download reports where the file is damaged
            return null;
        }
        return stash.fits() ? stash : null;
    }

    /** Returns the gzip members, which contain the tar. */
    byte[] members() {
        return bytes.toByteArray();
    }

    /** Returns the usage of gzip for blocks that were compressed again; empty if all bytes are sent as stored. */
    List<CodecUsage> recompressed() {
        return recompressedBytes == 0
                ? List.of()
                : List.of(new CodecUsage(LEVEL, recompressedBlocks, recompressedBytes, bytes.size() - storedBytes, 0));
    }

    /** Returns false if the tar is longer than its file's footer claims, as in a damaged file, or if there are too many bytes to send. */
    private boolean fits() {
        return left >= 0 && bytes.size() <= MAX_BYTES;
    }

    private boolean append(FrameHeader header, byte[] frame, byte[] block) throws IOException {
        left -= header.rawLength();
        if (!fits()) {
            return false;
        }
        if (header.codec() == Codec.GZIP) {
            endMember();
            if (bytes.size() + frame.length > MAX_BYTES) { // a frame of another agent may be large, and contain little
                left = -1;
                return false;
            }
            bytes.write(frame, 0, frame.length);
            storedBytes += frame.length;
        } else {
            recompress(block, header.rawLength());
            recompressedBlocks += header.isEndFrame() ? 0 : 1;
            recompressedBytes += header.rawLength();
        }
        return true;
    }

    private void recompress(byte[] block, int length) throws IOException {
        byte[] chunk = new byte[Math.min(CHUNK, length)];
        int done = 0;
        do {
            int n = Math.min(CHUNK, length - done);
            System.arraycopy(block, done, chunk, 0, n);
            boolean noise = ContentClassifier.classify(chunk, n) == ContentClass.NOISE;
            int level = noise ? Deflater.NO_COMPRESSION : LEVEL.level();
            if (member == null || member.level != level && n >= MIN_CHUNK) {
                endMember();
                member = new Member(bytes, level);
            }
            member.write(chunk, 0, n);
            done += n;
        } while (done < length);
    }

    private void endMember() throws IOException {
        if (member != null) {
            member.close();
            member = null;
        }
    }

    /** A gzip member for blocks that are compressed again. It has one level, because zlib would apply another level one chunk too late. */
    private static final class Member extends GZIPOutputStream {
        private final int level;

        Member(OutputStream bytes, int level) throws IOException {
            super(bytes);
            this.level = level;
            def.setLevel(level);
        }
    }
}
