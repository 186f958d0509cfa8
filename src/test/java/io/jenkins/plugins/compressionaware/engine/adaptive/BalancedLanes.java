package io.jenkins.plugins.compressionaware.engine.adaptive;

/** Lets streams write and direct lanes deliver, for the tests of a {@link LaneBalance}. */
class BalancedLanes {
    /** A block with its header. */
    static final int BLOCK = 257 * 1024;

    static final int MOST = 960 * 1024;
    static final double SECOND = 1e9;
    static final int CONNECTIONS = 3;

    final LaneBalance balance = new LaneBalance(1, MOST, 10 * SECOND);
    double now;
    private long granted;

    final void streams(double bytesPerSecond) {
        streams(bytesPerSecond, bytesPerSecond);
    }

    /** Lets the streams write, and the receiver consume, for a second. */
    final void streams(double bytesPerSecond, double consumedPerSecond) {
        int writes = 100;
        for (int i = 0; i < writes; i++) {
            now += SECOND / writes;
            balance.streamWrote((int) (bytesPerSecond / writes), SECOND / writes, 0);
            granted += (long) (consumedPerSecond / writes);
            balance.granted(granted, now);
        }
    }

    /** Delivers requests of the allowed size, one after another. */
    final void requests(int count, double seconds) {
        for (int i = 0; i < count; i++) {
            now += seconds * SECOND;
            balance.delivered(balance.body(), seconds * SECOND, false, now);
        }
    }

    /** Delivers requests of the allowed size on all connections. */
    final void requestsOnAllConnections(int count, double seconds) {
        for (int i = 0; i < count; i++) {
            now += seconds * SECOND / CONNECTIONS;
            granted += balance.body();
            balance.granted(granted, now);
            balance.delivered(balance.body(), seconds * SECOND, false, now);
        }
    }

    /** Delivers requests on all connections while the streams write. */
    final void both(int count, double seconds, double streamBytesPerSecond) {
        for (int i = 0; i < count; i++) {
            double time = seconds / CONNECTIONS;
            balance.streamWrote((int) (streamBytesPerSecond * time), time * SECOND, 0);
            requestsOnAllConnections(1, seconds);
        }
    }

    /** Seconds of a request if all connections together deliver {@code bytesPerSecond}. */
    static double seconds(double bytesPerSecond) {
        return CONNECTIONS * MOST / bytesPerSecond;
    }

    final boolean allowsStreams() {
        return balance.allowsStreams(now, now, 0);
    }
}
