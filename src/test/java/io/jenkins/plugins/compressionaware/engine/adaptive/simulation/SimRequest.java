package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import java.util.List;

/** A request of a simulated direct lane. */
final class SimRequest {
    final List<Integer> frames;
    final int bytes;
    final double start;
    final Object connection;

    /** Whether it has ended. */
    boolean over;

    /** Whether a stream sends its frames, too. */
    boolean repeated;

    SimRequest(List<Integer> frames, int bytes, double start, Object connection) {
        this.frames = frames;
        this.bytes = bytes;
        this.start = start;
        this.connection = connection;
    }

    /** Returns whether streams may take new work beside these requests, of which the first is the oldest. */
    static boolean allowsStreams(List<SimRequest> open, LaneBalance balance, double now) {
        return open.isEmpty()
                ? balance.allowsStreams(now, now, 0)
                : balance.allowsStreams(now, open.get(0).start, open.get(0).bytes);
    }
}
