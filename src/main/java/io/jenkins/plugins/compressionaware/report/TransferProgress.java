package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;

/** The progress of a transfer, which remains readable after the transfer's end. Thread-safe. */
public interface TransferProgress {
    TransferInfo transfer();

    /** Returns the start of the transfer in milliseconds since 1970. */
    long startMillis();

    /** Returns the nanoseconds since the start, at least 1. */
    long nanos();

    /** Returns the wire bytes transferred over the channel. */
    long channelBytes();

    /** Returns the wire bytes transferred over the direct lane. */
    long directBytes();

    /** Returns the nanoseconds since the last transferred byte, or since the start. */
    long idleNanos();

    /** Returns the number of the reference build whose signature the agent received; 0 for none. */
    int referenceBuild();

    /** Returns the bytes of the files' contents that were reused from the {@link #referenceBuild}. */
    long reusedBytes();

    /** Returns the length of the packed archive, bytes; 0 if files are stored. */
    long storedBytes();

    /** Returns the name of the store that sends or receives the bytes; null if the controller does. */
    @CheckForNull
    default String store() {
        return null;
    }

    /** Returns how often the connection to the agent was lost and came back. */
    int interruptions();

    /** Returns the nanoseconds of an empty round trip to the agent; 0 if unknown. */
    long roundTripNanos();

    /** Returns the processors of the machine that agent and controller share; 0 if each has its own machine. */
    int sharedProcessors();

    /**
     * Returns the bytes transferred so far. Counts file contents if the controller extracts them, bytes of the tar if the controller only stores the tar, and
     * otherwise wire bytes.
     */
    long completedBytes();

    /** Returns the final {@link #completedBytes}; 0 if unknown or already exceeded. */
    long totalBytes();
}
