package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.util.ArrayList;

/** Decides over each block, and hears what the pipeline sees. Called by any thread of the pipeline. */
interface Policy {
    /**
     * The plan for one block.
     *
     * @param fileName name of the file that the block begins in
     */
    Plan plan(byte[] block, int length, String fileName);

    /** For the frame that ends the stream. */
    default Choice end() {
        return Choice.STORED;
    }

    /** The checksum to use now for the one that is wanted. */
    default Checksum checksum(Checksum wanted) {
        return wanted.orCrc32c();
    }

    /** See {@link io.jenkins.plugins.compressionaware.adapt.Selector#read}. */
    default void read(int rawLength, long nanos) {}

    /** A lane has written a piece. */
    default void sent(LaneWrite write) {}

    /**
     * From now on other lanes work.
     *
     * @param count  at least 1
     * @param direct whether they are requests, not streams
     */
    default void lanes(int count, boolean direct) {}

    /** The receiver says what it has consumed. One thread at a time, in order. */
    default void told(Credit.Grant grant) {}

    /** Why the choices were made; null if nobody had a choice. */
    default Reason reason() {
        return null;
    }

    /** To be used, but does not work here. */
    default ArrayList<CodecProbe.Unusable> unusable() {
        return new ArrayList<>();
    }

    /** @param outcome is told of what became of the block */
    record Plan(Choice choice, Outcome outcome) {}

    /** Hears that a block has been compressed. */
    @FunctionalInterface
    interface Outcome {
        /**
         * @param wireLength length of the frame, bytes
         * @param nanos      time that it took
         * @param cpuNanos   CPU time that it took; negative where the JVM does not tell
         */
        void done(int wireLength, long nanos, long cpuNanos);
    }
}
