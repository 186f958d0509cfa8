package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;

/** Chooses codec and level of each block, and receives measurements from the pipeline. Thread-safe. */
interface CompressionPolicy {
    /**
     * Chooses codec and level of one block.
     *
     * @param fileName name of the file in which the block begins
     */
    BlockPlan planBlock(byte[] block, int length, String fileName);

    default CodecLevel endFrameChoice() {
        return CodecLevel.UNCOMPRESSED;
    }

    default void sent(LaneWrite write) {}

    /**
     * Sets the number of lanes that work from now on.
     *
     * @param count  at least 1
     * @param direct whether these are direct lanes rather than streams
     */
    default void lanes(int count, boolean direct) {}

    record BlockPlan(CodecLevel choice, Callback outcome) {}

    /** Receives the result of compressing one block. */
    @FunctionalInterface
    interface Callback {
        /**
         * Records that the block was compressed.
         *
         * @param wireLength length of the frame, bytes
         * @param nanos      time to compress the block
         * @param cpuNanos   CPU time to compress the block; negative if the JVM does not measure it
         */
        void done(int wireLength, long nanos, long cpuNanos);
    }
}
