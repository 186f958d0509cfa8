package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import java.util.ArrayList;

/** Decides on each block, and hears what the pipeline observes. Any thread of the pipeline may call. */
interface CompressionPolicy {
    /**
     * The plan for one block.
     *
     * @param fileName name of the file that the block begins in
     */
    Plan planBlock(byte[] block, int length, String fileName);

    /** The choice for the end frame. */
    default CodecLevel endFrameChoice() {
        return CodecLevel.UNCOMPRESSED;
    }

    /** The checksum to use now in place of the wanted one. */
    default Checksum checksum(Checksum wanted) {
        return wanted.orFallback();
    }

    /** See {@link io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector#onRead}. */
    default void read(int rawLength, long nanos) {}

    /** A lane has written bytes. */
    default void sent(LaneWrite write) {}

    /**
     * From now on these lanes work.
     *
     * @param count  at least 1
     * @param direct whether they are direct lanes, not streams
     */
    default void lanes(int count, boolean direct) {}

    /** Codecs that were to be used but do not work here. */
    default ArrayList<CodecAvailability.Unavailable> unusable() {
        return new ArrayList<>();
    }

    /** @param outcome hears how the block was compressed */
    record Plan(CodecLevel choice, Outcome outcome) {}

    /** Hears that a block has been compressed. */
    @FunctionalInterface
    interface Outcome {
        /**
         * @param wireLength length of the frame, bytes
         * @param nanos      time to compress it
         * @param cpuNanos   CPU time to compress it; negative where the JVM does not tell
         */
        void done(int wireLength, long nanos, long cpuNanos);
    }
}
