package io.jenkins.plugins.compressionaware.adapt;

import java.io.Serializable;

/**
 * Why choices were made as they were.
 *
 * @param limit          what mattered most
 * @param bytesPerSecond rate of the limit: wire bytes for lanes, raw bytes for all others; 0 for a limit without a rate
 */
public record Reason(Limit limit, double bytesPerSecond) implements Serializable {
    private static final long serialVersionUID = 1;

    /** The limit that mattered most. The last has no rate. */
    public enum Limit {
        READING,
        COMPRESSION,
        LINK,
        /** A lane can send its window once per round trip. */
        ROUND_TRIP,
        /** The processors that both ends share. */
        PROCESSORS,
        NOTHING_MEASURED
    }

    public Reason {
        // another machine may say anything
        limit = limit == null ? Limit.NOTHING_MEASURED : limit;
    }

    /** A reason without a rate. */
    public Reason(Limit limit) {
        this(limit, 0);
    }
}
