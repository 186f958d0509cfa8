package io.jenkins.plugins.compressionaware.adapt;

import java.io.Serializable;

/**
 * Why choices were made as they were.
 *
 * @param limit          what mattered most
 * @param bytesPerSecond rate at which it works; 0 for what has no rate. A lane's counts wire bytes, that of all else raw bytes
 */
public record Reason(Limit limit, double bytesPerSecond) implements Serializable {
    private static final long serialVersionUID = 1;

    /** The limit that mattered most. The last three have no rate. */
    public enum Limit {
        READING,
        COMPRESSION,
        LINK,
        /** Of a lane: its window, once per round trip. */
        ROUND_TRIP,
        /** Shared by both ends. */
        PROCESSORS,
        NOTHING_MEASURED,
        NOTHING_TO_COMPRESS,
        /** For codecs that have to be loaded first. */
        TOO_LITTLE
    }

    public Reason {
        // another machine may say anything
        limit = limit == null ? Limit.NOTHING_MEASURED : limit;
    }

    /** One without a rate. */
    public Reason(Limit limit) {
        this(limit, 0);
    }
}
