package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import java.util.ArrayList;

/** Decides over each block, and hears what the pipeline sees. Called by any thread of the pipeline. */
interface Policy extends SendListener {
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

    /** Why the choices were made; null if nobody had a choice. */
    default Reason reason() {
        return null;
    }

    /** To be used, but does not work here. */
    default ArrayList<CodecProbe.Unusable> unusable() {
        return new ArrayList<>();
    }

    interface Plan {
        Choice choice();

        /**
         * The block has been compressed.
         *
         * @param wireLength length of the frame, bytes
         * @param nanos      time that it took
         * @param cpuNanos   CPU time that it took; negative where the JVM does not tell
         */
        default void done(int wireLength, long nanos, long cpuNanos) {}
    }
}
