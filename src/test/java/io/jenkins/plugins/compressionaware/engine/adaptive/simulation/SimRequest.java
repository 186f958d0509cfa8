package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

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
}
