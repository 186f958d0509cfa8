package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClass;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClassifier;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Executor;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** A small stash that is sent whole, with the call that unpacks it, because loading the engine on a fresh agent would take longer. */
final class InlineStash {
    /** Level of gzip for content that is not noise. */
    static final int LEVEL = BootstrapArchiveCallable.LEVEL;

    /** Maximum size of the tar in a small stash, bytes. The controller decodes and deflates that much within a few hundredths of a second. */
    private static final int MAX_RAW_BYTES = 2 << 20;

    /** Maximum bytes sent with one call, because other calls to the agent wait until these are sent. The classes of the engine have a quarter of this. */
    private static final int MAX_BYTES = 1 << 20;

    /** Bytes of the tar in a small stash for which the level is chosen at once. Noise would take three times as long to deflate as text. */
    private static final int CHUNK = 16 << 10;

    private InlineStash() {}

    /** Returns whether a tar of this size, bytes, may be sent so. */
    static boolean isSmall(long rawBytes) {
        return rawBytes <= MAX_RAW_BYTES;
    }

    /** Returns the deflated tar to send with one call; null if the tar is too large or damaged. */
    @CheckForNull
    static byte[] deflate(FrameFile file, Executor executor) {
        if (!isSmall(file.rawBytes())) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater();
        try (FrameFileTarInputStream tar = new FrameFileTarInputStream(file, executor);
                OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            byte[] chunk = new byte[CHUNK];
            long left = file.rawBytes();
            for (int n = tar.readNBytes(chunk, 0, CHUNK); n > 0; n = tar.readNBytes(chunk, 0, CHUNK)) {
                left -= n;
                if (left < 0 || bytes.size() > MAX_BYTES) { // a damaged file may be longer than its footer claims
                    return null;
                }
                boolean noise = ContentClassifier.classify(chunk, n) == ContentClass.NOISE;
                deflater.setLevel(noise ? Deflater.NO_COMPRESSION : LEVEL);
                out.write(chunk, 0, n);
            }
        } catch (IOException e) {
            // the normal download reports where the file is damaged
            return null;
        } finally {
            deflater.end();
        }
        return bytes.size() > MAX_BYTES ? null : bytes.toByteArray();
    }
}
