package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.Frames;
import java.io.Serializable;

/**
 * How a sender works.
 *
 * @param compression what decides over codec and level
 * @param blockSize   raw bytes per block, 1 KiB to {@link Frames#MAX_BLOCK}
 * @param threads     threads that compress, at least 1
 * @param checksum    of every block, if its library is there
 */
public record SendOptions(Compression compression, int blockSize, int threads, Checksum checksum)
        implements Serializable {
    /**
     * 256 KiB: zstd 3 then comes within 5 % of its ratio on whole files of source text, and an array of this size is not yet a humongous
     * object in a small G1 heap.
     */
    public static final int DEFAULT_BLOCK_SIZE = 256 * 1024;

    /** Builds share the agent's processors with us. */
    public static final int DEFAULT_THREADS = 2;

    public SendOptions {
        if (blockSize < 1024 || blockSize > Frames.MAX_BLOCK) {
            throw new IllegalArgumentException("Block size " + blockSize + " is not in 1024 to " + Frames.MAX_BLOCK);
        }
        if (threads < 1) {
            throw new IllegalArgumentException("At least one thread is needed");
        }
    }

    /** With the default block size and threads. */
    public SendOptions(Compression compression) {
        this(compression, DEFAULT_BLOCK_SIZE, DEFAULT_THREADS, Checksum.XXH64);
    }

    /** With one codec and level for all blocks. */
    public SendOptions(Codec codec, int level, int blockSize, int threads) {
        this(new Compression.Fixed(new Choice(codec, level)), blockSize, threads, Checksum.XXH64);
    }

    /** With one codec and level for all blocks, the default block size and threads. */
    public SendOptions(Codec codec, int level) {
        this(codec, level, DEFAULT_BLOCK_SIZE, DEFAULT_THREADS);
    }

    /** The same with another compression. */
    public SendOptions with(Compression other) {
        return new SendOptions(other, blockSize, threads, checksum);
    }

    /** The same with another checksum. */
    public SendOptions with(Checksum other) {
        return new SendOptions(compression, blockSize, threads, other);
    }
}
