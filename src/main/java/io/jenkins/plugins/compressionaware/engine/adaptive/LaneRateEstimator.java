package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;

/**
 * Estimates the rate of the lanes from the duration of writes. A lane that is always busy shows its rate; a lane that often waits for
 * frames shows only a lower bound, because writes return immediately while the window has space.
 */
final class LaneRateEstimator {
    private static final double WINDOW = Credit.STREAM_WINDOW;

    /** Rate before the first measurement: half of gigabit Ethernet, bytes per nanosecond. */
    private static final double INITIAL_BYTES_PER_NANO = 0.05;

    /** Minimum length of a period, so that a pause of the thread does not look like a slow link. */
    private static final double MIN_PERIOD_NANOS = 10e6;

    /** Bytes after which a period ends even before {@link #MIN_PERIOD_NANOS}: two windows. */
    private static final double MIN_PERIOD_BYTES = 2 * WINDOW;

    /** A lane is busy if it spends more than this share of its time writing. */
    private static final double BUSY_SHARE = 0.8;

    /** Weight of a new period. */
    private static final double GAIN = 0.4;

    private int lanes = 1;
    private boolean windowed = true;
    private double roundTrip;
    private double rate = INITIAL_BYTES_PER_NANO;
    private boolean guessed = true;
    private boolean known;

    private double bytes;
    private double writing;
    private double waiting;

    private double sent;

    /**
     * Sets the number and type of the lanes.
     *
     * @param streams whether each lane has a window; otherwise it waits for a response to each write, and its rate includes that wait
     */
    void setLanes(int count, boolean streams) {
        lanes = count;
        windowed = streams;
    }

    void roundTrip(double nanos) {
        roundTrip = nanos;
    }

    void known(double nanosPerByte) {
        rate = 1 / nanosPerByte;
        known = true;
    }

    void sent(LaneWrite write) {
        sent += write.wireLength();
        bytes += write.wireLength();
        writing += write.writeNanos();
        waiting += (double) write.creditWaitNanos() + write.frameWaitNanos();
        if (writing + waiting >= MIN_PERIOD_NANOS * lanes || bytes >= MIN_PERIOD_BYTES * lanes) {
            endPeriod();
            bytes = 0;
            writing = 0;
            waiting = 0;
        }
    }

    private void endPeriod() {
        double whileWriting = lanes * bytes / Math.max(1, writing);
        double throughout = lanes * bytes / Math.max(1, writing + waiting);
        if (writing > BUSY_SHARE * (writing + waiting)) {
            rate = guessed ? whileWriting : rate * Math.pow(whileWriting / rate, GAIN);
            if (sent > 2 * WINDOW * lanes) {
                guessed = false;
            }
        } else if (!known || !windowed || sent > WINDOW * lanes) {
            // an empty window may accept writes faster than the link, so writes raise the rate at most to its double,
            // and a known rate stays until the first window is full
            rate = Math.max(throughout, Math.min(2 * rate, Math.max(rate, whileWriting)));
        }
    }

    /** Returns nanoseconds per wire byte over all lanes together. */
    double nanosPerByte() {
        return Math.max(1 / rate, windowed ? roundTrip / (lanes * WINDOW) : 0);
    }
}
