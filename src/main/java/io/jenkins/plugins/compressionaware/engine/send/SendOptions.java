package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.Frames;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How a sender works.
 *
 * @param compression rule for codec and level
 * @param blockSize   raw bytes per block, 1 KiB to {@link Frames#MAX_BLOCK}
 * @param threads     threads that compress, at least 1, or {@link #BY_PROCESSORS}
 * @param checksum    of every block, if its library is there
 */
@Restricted(NoExternalUse.class)
public record SendOptions(Compression compression, int blockSize, int threads, Checksum checksum)
        implements Serializable {
    /** Half of the sending machine's processors, which builds share with us, but two of them if there are, and at most four. */
    public static final int BY_PROCESSORS = 0;

    public SendOptions {
        if (blockSize < 1024 || blockSize > Frames.MAX_BLOCK) {
            throw new IllegalArgumentException("Block size " + blockSize + " is not in 1024 to " + Frames.MAX_BLOCK);
        }
        if (threads < BY_PROCESSORS) {
            throw new IllegalArgumentException("At least one thread is needed");
        }
    }

    /** The number for the machine on which this is called, at least 1. */
    @Override
    public int threads() {
        return threads == BY_PROCESSORS ? threadsFor(Runtime.getRuntime().availableProcessors()) : threads;
    }

    static int threadsFor(int processors) {
        return Math.min(4, Math.max(Math.min(2, processors), processors / 2));
    }

    public SendOptions(Compression compression) {
        this(compression, Frames.DEFAULT_BLOCK, BY_PROCESSORS, Checksum.XXH64);
    }

    public SendOptions(Codec codec, int level, int blockSize, int threads) {
        this(new Compression.Fixed(new Choice(codec, level)), blockSize, threads, Checksum.XXH64);
    }

    public SendOptions(Codec codec, int level) {
        this(codec, level, Frames.DEFAULT_BLOCK, BY_PROCESSORS);
    }

    /** See {@link Form}. */
    private Object writeReplace() {
        return new Form(this);
    }

    /**
     * The form that travels. Reading a record from a stream costs a fresh JVM a dozen method handles per component; the records of one call took 80 ms.
     */
    private static final class Form implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Null if it is chosen for each block. */
        private final Codec codec;

        private final int level;
        private final int maxLevel;
        private final EnumSet<Codec> usable;
        private final int blockSize;
        private final int threads;
        private final Checksum checksum;

        Form(SendOptions options) {
            if (options.compression instanceof Compression.Fixed one) {
                codec = one.choice().codec();
                level = one.choice().level();
                maxLevel = level;
                usable = one.usable();
            } else {
                Compression.Auto auto = (Compression.Auto) options.compression;
                codec = null;
                level = auto.minLevel();
                maxLevel = auto.maxLevel();
                usable = auto.usable();
            }
            blockSize = options.blockSize;
            threads = options.threads;
            checksum = options.checksum;
        }

        private Object readResolve() {
            Compression compression = codec != null
                    ? new Compression.Fixed(new Choice(codec, level), usable)
                    : new Compression.Auto(level, maxLevel, usable);
            return new SendOptions(compression, blockSize, threads, checksum);
        }
    }

    public SendOptions with(Compression other) {
        return new SendOptions(other, blockSize, threads, checksum);
    }

    public SendOptions with(Checksum other) {
        return new SendOptions(compression, blockSize, threads, other);
    }
}
