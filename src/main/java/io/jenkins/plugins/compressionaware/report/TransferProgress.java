package io.jenkins.plugins.compressionaware.report;

/** How far a transfer is. Any thread may ask at any time, also when it is over. */
public interface TransferProgress {
    Transfer transfer();

    /** When it started, milliseconds since 1970. */
    long startMillis();

    /** Nanoseconds since the start, at least 1. */
    long nanos();

    /** Wire bytes that have gone over the channel. */
    long channelBytes();

    /** Wire bytes that have gone over the direct lane. */
    long directBytes();

    /** From the start until the first byte has gone over, or until now, nanoseconds: it waited for the agent, or for its turn there. */
    long queuedNanos();

    /** Since the last byte has gone over, or the start, nanoseconds. */
    long silentNanos();

    /** Number of the build whose archive was offered to the agent; 0 if none was. */
    default int earlierBuild() {
        return 0;
    }

    /** Of the files' contents, bytes that have not travelled since they were in that build. */
    default long earlierBytes() {
        return 0;
    }

    /** Of files' contents received here, else of a tar whose contents nobody looks at, else wire bytes sent from here. */
    long bytesDone();

    /** The final {@link #bytesDone}; 0 if that is not known, or was less than there is. */
    long bytesInAll();
}
