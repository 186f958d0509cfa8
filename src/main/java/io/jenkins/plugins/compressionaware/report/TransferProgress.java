package io.jenkins.plugins.compressionaware.report;

/** The progress of a transfer. Any thread may ask at any time, even after its end. */
public interface TransferProgress {
    TransferInfo transfer();

    /** Start of the transfer, milliseconds since 1970. */
    long startMillis();

    /** Nanoseconds since the start, at least 1. */
    long nanos();

    /** Wire bytes that have gone over the channel. */
    long channelBytes();

    /** Wire bytes that have gone over the direct lane. */
    long directBytes();

    /** Nanoseconds since the last transferred byte, or since the start. */
    long idleNanos();

    /** Number of the build whose content the agent was told; 0 for none. */
    default int referenceBuild() {
        return 0;
    }

    /** Bytes of the files' contents that did not travel because that build has them. */
    default long reusedBytes() {
        return 0;
    }

    /** Nanoseconds of an empty call to the agent and back; 0 if unknown. */
    default long roundTripNanos() {
        return 0;
    }

    /** Processors of the machine that agent and controller share; 0 if each has its own. */
    default int sharedProcessors() {
        return 0;
    }

    /** Bytes of files' contents received here, else of a tar whose contents nobody looks at, else wire bytes sent from here. */
    long completedBytes();

    /** The final {@link #completedBytes}; 0 if unknown, or already exceeded. */
    long totalBytes();
}
