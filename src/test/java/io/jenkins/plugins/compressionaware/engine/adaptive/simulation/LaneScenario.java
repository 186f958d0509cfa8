package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

/**
 * Transfers and their network, to simulate which lanes send them. Rates are bytes per nanosecond, times nanoseconds; 0 means none.
 *
 * @param link              rate of the line of all lanes
 * @param channelLink       rate of a line of the channel alone, instead of {@code link}
 * @param directLink        rate of a line of the direct lanes alone, instead of {@code link}
 * @param requestDelay      delay of each request, at a proxy
 * @param requestsPerSecond limit of a proxy, which delays further requests
 * @param burst             number of requests that this proxy delays; it refuses more
 * @param refusedEvery      a firewall refuses each request with a frame whose number is a multiple
 * @param sharedChannel     whether all transfers share one channel
 * @param frameNanos        time between two frames of the source, or for which the receiver consumes a frame
 */
record LaneScenario(
        double link,
        double channelLink,
        double directLink,
        double roundTrip,
        double requestDelay,
        double requestsPerSecond,
        int burst,
        int refusedEvery,
        boolean sharedChannel,
        int transfers,
        double frameNanos,
        int frameLength,
        int frames) {

    /** Returns the number of streams, as the plugin chooses it. */
    int streams() {
        return (int) Math.max(1, Math.min(8, Math.ceil(200 * roundTrip / 1e9)));
    }
}
