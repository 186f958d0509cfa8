package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.RemotingLimits;

/**
 * Estimates the lanes' rate from the time that writes take. A write returns at once while a window is empty, so a lane that often waits for
 * frames shows only that it is at least as fast as they come; a lane that is always busy shows its rate.
 */
final class LaneRateEstimator {
    private static final double WINDOW = RemotingLimits.STREAM_WINDOW;

    /** Before anything is known: half of gigabit Ethernet, bytes per nanosecond. */
    private static final double INITIAL_BYTES_PER_NANO = 0.05;

    /** A measurement lasts at least this long (nanoseconds), so that a pause of the thread does not look like a link. */
    private static final double MIN_PERIOD_NANOS = 10e6;

    /** Alternatively, a measurement covers at least this many bytes: two windows. */
    private static final double MIN_PERIOD_BYTES = 2 * WINDOW;

    /** A lane counts as busy if it spends more than this share of its time writing. */
    private static final double BUSY_SHARE = 0.8;

    /** Weight of a new period. */
    private static final double GAIN = 0.4;

    private int setLanes = 1;
    private boolean windowed = true;
    private double roundTrip;
    private double rate = INITIAL_BYTES_PER_NANO;
    private boolean guessed = true;
    private boolean known;

    private double bytes;
    private double writing;
    private double waiting;

    private double sent;

    /** @param streams whether each lane has a window; if not, it waits for an answer to each write, and its rate includes that wait */
    void setLanes(int count, boolean streams) {
        setLanes = count;
        windowed = streams;
    }

    void roundTrip(double nanos) {
        roundTrip = nanos;
    }

    /** Sets the known rate, see {@link CodecSelector#link}. */
    void known(double nanosPerByte) {
        rate = 1 / nanosPerByte;
        known = true;
    }

    /** See {@link CodecSelector#onSent}. */
    void sent(LaneWrite write) {
        sent += write.wireLength();
        bytes += write.wireLength();
        writing += write.writeNanos();
        waiting += (double) write.creditWaitNanos() + write.frameWaitNanos();
        if (writing + waiting >= MIN_PERIOD_NANOS * setLanes || bytes >= MIN_PERIOD_BYTES * setLanes) {
            endPeriod();
            bytes = 0;
            writing = 0;
            waiting = 0;
        }
    }

    private void endPeriod() {
        double whileWriting = setLanes * bytes / Math.max(1, writing);
        double throughout = setLanes * bytes / Math.max(1, writing + waiting);
        if (writing > BUSY_SHARE * (writing + waiting)) {
            rate = guessed ? whileWriting : rate * Math.pow(whileWriting / rate, GAIN);
            if (sent > 2 * WINDOW * setLanes) {
                guessed = false;
            }
        } else if (!known || !windowed || sent > WINDOW * setLanes) {
            // an empty window may accept writes faster than the link, so writes count only up to twice the rate so far,
            // and not at all if an earlier transfer has measured the rate
            rate = Math.max(throughout, Math.min(2 * rate, Math.max(rate, whileWriting)));
        }
    }

    /** Nanoseconds per wire byte over all lanes together. */
    double nanosPerByte() {
        return Math.max(1 / rate, windowed ? roundTrip / (setLanes * WINDOW) : 0);
    }
}
