package io.jenkins.plugins.compressionaware.bench;

/**
 * What a link is like.
 *
 * @param bitsPerSecond in each direction; 0 for no limit
 * @param roundTrip     milliseconds added to a round trip, half in each direction
 */
record Shape(String name, long bitsPerSecond, int roundTrip) {
    static final Shape LOOPBACK = new Shape("loopback", 0, 0);
    static final Shape FAST = new Shape("100 Mbit/s", 100_000_000, 0);
    static final Shape SLOW = new Shape("10 Mbit/s", 10_000_000, 0);
    static final Shape FAR = new Shape("100 ms round trip", 0, 100);

    boolean isShaped() {
        return bitsPerSecond > 0 || roundTrip > 0;
    }
}
