package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Options of a sender.
 *
 * @param compression rule by which codec and level are chosen
 * @param blockSize   raw bytes per block, 1 KiB to {@link FrameCodec#MAX_BLOCK}
 * @param threads     number of compressing threads, at least 1, or {@link #BY_PROCESSORS}
 * @param checksum    checksum of every block; CRC-32C replaces it where its library does not work
 */
@Restricted(NoExternalUse.class)
public record SendOptions(CompressionMode compression, int blockSize, int threads, Checksum checksum)
        implements Serializable {
    /** One thread for every two processors of the sending machine, because builds use them too; at least two if the machine has two, at most four. */
    public static final int BY_PROCESSORS = 0;

    public SendOptions {
        if (blockSize < 1024 || blockSize > FrameCodec.MAX_BLOCK) {
            throw new IllegalArgumentException(
                    "Block size " + blockSize + " is not in 1024 to " + FrameCodec.MAX_BLOCK);
        }
        if (threads < BY_PROCESSORS) {
            throw new IllegalArgumentException("At least one thread is needed");
        }
    }

    /** Returns the number of compressing threads for this machine, at least 1. */
    @Override
    public int threads() {
        return threads == BY_PROCESSORS ? threadsFor(Runtime.getRuntime().availableProcessors()) : threads;
    }

    static int threadsFor(int processors) {
        return Math.min(4, Math.max(Math.min(2, processors), processors / 2));
    }

    public SendOptions(CompressionMode compression) {
        this(compression, FrameCodec.DEFAULT_BLOCK, BY_PROCESSORS, Checksum.CRC32C);
    }

    public SendOptions(Codec codec, int level, int blockSize, int threads) {
        this(new CompressionMode.Fixed(new CodecLevel(codec, level)), blockSize, threads, Checksum.CRC32C);
    }

    public SendOptions(Codec codec, int level) {
        this(codec, level, FrameCodec.DEFAULT_BLOCK, BY_PROCESSORS);
    }

    private Object writeReplace() {
        return new SerializedForm(this);
    }

    /** The serialized form of options. Deserializing the records of one call instead takes a fresh JVM 80 ms. */
    private static final class SerializedForm implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Null if codec and level are chosen for each block. */
        private final Codec codec;

        private final int level;
        private final int maxLevel;
        private final boolean zstd;
        private final boolean lz4;
        private final int blockSize;
        private final int threads;
        private final Checksum checksum;

        SerializedForm(SendOptions options) {
            if (options.compression instanceof CompressionMode.Fixed fixed) {
                codec = fixed.choice().codec();
                level = fixed.choice().level();
                maxLevel = level;
                zstd = true;
                lz4 = true;
            } else {
                CompressionMode.Auto auto = (CompressionMode.Auto) options.compression;
                codec = null;
                level = auto.minLevel();
                maxLevel = auto.maxLevel();
                zstd = auto.zstd();
                lz4 = auto.lz4();
            }
            blockSize = options.blockSize;
            threads = options.threads;
            checksum = options.checksum;
        }

        private Object readResolve() {
            CompressionMode compression = codec != null
                    ? new CompressionMode.Fixed(new CodecLevel(codec, level))
                    : new CompressionMode.Auto(level, maxLevel, zstd, lz4);
            return new SendOptions(compression, blockSize, threads, checksum);
        }
    }

    public SendOptions with(CompressionMode other) {
        return new SendOptions(other, blockSize, threads, checksum);
    }
}
