package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Decides whether streams, direct lanes or both get the next frames, from the rate that each way delivers. Streams send alone while they suffice. Otherwise
 * direct lanes are tried alone, and continue alone unless both together are faster, because others use the channel. In a download, ranges replace frames, reads
 * replace writes, and consumed bytes replace grants. Has no clock and no lock: all times are nanoseconds of the caller's clock.
 */
@Restricted(NoExternalUse.class)
public final class LaneBalance {
    /** Bytes of a first request, and the step by which the limit of bytes rises: one uncompressed block with its header. */
    private static final int FIRST_BODY = 257 * 1024;

    /** Streams suffice if they write for less than this share of the time, and wait for frames or credit otherwise. */
    private static final double BUSY = 0.5;

    /** Streams rest for a trial if direct lanes deliver at least this share of the streams' rate. */
    private static final double ENOUGH_DIRECT = 0.9;

    /** Streams rest for a trial if direct lanes deliver at least this share of all bytes: both may compete for the same processors. */
    private static final double LARGE_SHARE = 0.5;

    /** Streams no longer rest if direct lanes alone deliver less than this share of what both have delivered. */
    private static final double LIKE_BOTH = 0.95;

    /** Share of the credit that the receiver may consume during a request. Later frames wait for those of the request, and need credit. */
    private static final double MAX_HELD = 0.25;

    /** Share of the time limit of a request that the bytes of a request may take. */
    private static final double MAX_SHARE_OF_LIMIT = 0.25;

    /** Age below which no request is late: garbage collections and busy processors delay some. */
    private static final double MIN_LATE_NANOS = 50e6;

    /** Age of a request from which streams send beside it during a trial. */
    private static final double TRIAL_LATE_NANOS = 10e6;

    /** Minimum time over which the receiver's rate is averaged; longer requests extend it, because the receiver consumes frames in order, many after a late one. */
    private static final double CONSUMED_NANOS = 3e8;

    /** Time for which direct lanes rest after a first failure. */
    private static final double FAILURE_NANOS = 2.5e8;

    /** Time after which direct lanes are tried alone again if that was slower, or both together if it was not. */
    private static final double RETRY_NANOS = 1e9;

    private static final double LONGEST_REST_NANOS = 60e9;
    private static final double GAIN = 0.4;

    private final int streams;
    private final int mostBody;
    private final double limitNanos;

    /** Bytes per nanosecond in writes of the streams: an upper bound, because writes return early while the windows have space. */
    private double streamRate;

    private double streamBytes;
    private double streamNanos;
    private double waitedNanos;

    /** Share of the time in which the streams write. Until it is known, direct lanes are just needed: a stream may hang in its first write. */
    private double busy = BUSY;

    /** Bytes per nanosecond that the receiver consumes; 0 if unknown. */
    private double consumedRate;

    private double consumedBytes;
    private double consumedNanos;

    private long granted = -1;
    private double grantedAt;

    private int connections;
    private double directRate;
    private double requestNanos;

    /** Mean bytes of the requests that took {@link #requestNanos}. */
    private double requestBytes;

    private int body;
    private int allowed;
    private boolean learning;

    /** Whether streams rest. */
    private boolean alone;

    /** Whether streams rest until it is known what direct lanes deliver. */
    private boolean trial;

    private double bothFrom = Double.POSITIVE_INFINITY;
    private double rateOfBoth;
    private int requests;
    private double streamsNanos = RETRY_NANOS;
    private double streamsUntil = Double.NEGATIVE_INFINITY;
    private double restNanos = FAILURE_NANOS;
    private double restUntil = Double.NEGATIVE_INFINITY;

    /**
     * @param mostBody   maximum bytes of a request
     * @param limitNanos time limit of a request
     */
    public LaneBalance(int streams, int mostBody, double limitNanos) {
        this.streams = streams;
        this.mostBody = mostBody;
        this.limitNanos = limitNanos;
        body = Math.min(FIRST_BODY, mostBody);
    }

    /**
     * Records the write of a stream.
     *
     * @param waitNanos for which the stream has waited before, for a frame or for credit
     */
    public void streamWrote(int bytes, double nanos, double waitNanos) {
        streamBytes += bytes;
        streamNanos += nanos;
        waitedNanos += waitNanos;
        if (streamBytes >= Credit.STREAM_WINDOW || streamNanos + waitedNanos >= 10e6 * streams) {
            double rate = streams * streamBytes / Math.max(1, streamNanos);
            streamRate = streamRate == 0 ? rate : streamRate * Math.pow(rate / streamRate, GAIN);
            double share = streamNanos / Math.max(1, streamNanos + waitedNanos);
            busy += GAIN * (share - busy);
            if (trial && busy < BUSY) {
                rateOfBoth = Double.POSITIVE_INFINITY; // the trial follows later, perhaps with other content
            }
            streamBytes = 0;
            streamNanos = 0;
            waitedNanos = 0;
        }
    }

    /** Records the receiver's latest grant, bytes since the start. */
    public void granted(long limit, double now) {
        if (granted < 0) {
            granted = limit;
            grantedAt = now;
        } else if (limit - granted >= Credit.STREAM_WINDOW / 2 && now > grantedAt) {
            double kept = Math.exp((grantedAt - now) / Math.max(CONSUMED_NANOS, requestNanos));
            consumedBytes = kept * consumedBytes + limit - granted;
            consumedNanos = kept * consumedNanos + now - grantedAt;
            consumedRate = consumedBytes / consumedNanos;
            granted = limit;
            grantedAt = now;
        }
    }

    /** Sets the number of direct lanes that work. */
    public void setConnections(int count) {
        if (connections == 0 || count == 0) {
            learn();
            trial = count > 0;
            alone = trial;
            rateOfBoth = consumedRate;
        }
        connections = count;
    }

    private void learn() {
        learning = true;
        allowed = 1;
        body = Math.min(FIRST_BODY, mostBody);
        directRate = 0;
        endTrial(false);
    }

    private void endTrial(boolean directAlone) {
        trial = false;
        alone = directAlone;
        requests = 0;
    }

    /** Returns whether the streams do not suffice. */
    public boolean needsDirect() {
        return busy >= BUSY;
    }

    /** Returns whether a direct lane may send a request now. */
    public boolean allowsDirect(int inFlight, double now) {
        return inFlight < requests(now);
    }

    /** Returns whether direct lanes rest for a time, after a failure. */
    public boolean directLanesRest(double now) {
        return now < restUntil;
    }

    /** Returns the number of requests that may run now. */
    public int requests(double now) {
        boolean needed = alone && !trial || busy >= BUSY;
        return needed && now >= restUntil ? Math.min(allowed, connections) : 0;
    }

    /**
     * Returns whether a stream may send a new frame now.
     *
     * @param oldestRequest start of the oldest request, or {@code now}
     * @param bytes         of that request
     */
    public boolean allowsStreams(double now, double oldestRequest, int bytes) {
        if (!alone || now < restUntil || trial && busy < BUSY) {
            return true;
        }
        return now - oldestRequest > (trial ? TRIAL_LATE_NANOS : lateNanos(bytes));
    }

    /** Returns the maximum bytes of the next request. */
    public int body() {
        return body;
    }

    /** Records that a request has delivered its bytes. */
    public void delivered(int bytes, double nanos, double now) {
        boolean wasFull = bytes > body - FIRST_BODY / 2;
        boolean first = requestNanos == 0;
        double rate = Math.min(allowed, connections) * bytes / Math.max(1, nanos);
        directRate = directRate == 0 || learning ? rate : directRate * Math.pow(rate / directRate, GAIN);
        requestBytes = requestBytes == 0 ? bytes : requestBytes + GAIN * (bytes - requestBytes);
        requestNanos = requestNanos == 0 ? nanos : requestNanos + GAIN * (nanos - requestNanos);
        boolean faster = directRate >= ENOUGH_DIRECT * streamRate;
        boolean holds = !alone && !faster && nanos * consumedRate > MAX_HELD * Credit.WINDOW;
        if (trial && nanos > MIN_LATE_NANOS || holds && first) {
            endTrial(false);
            return; // it may have taken long because a fresh JVM has loaded classes
        }
        if (holds || nanos > MAX_SHARE_OF_LIMIT * limitNanos) {
            learning = false;
            if (allowed == 1 && body <= FIRST_BODY && holds) {
                rest(now, nanos);
                return;
            }
            allowed = Math.max(1, allowed - 1);
            body = Math.max(Math.min(FIRST_BODY, mostBody), body - FIRST_BODY);
        } else {
            learning &= raiseLimits(wasFull, MAX_SHARE_OF_LIMIT * limitNanos / nanos);
            restNanos = learning ? restNanos : FAILURE_NANOS;
        }
        if (!trial) {
            restStreams(alone || !learning && (faster || directRate >= LARGE_SHARE * consumedRate), now);
        } else if (!learning) {
            endTrial(directRate >= LIKE_BOTH * rateOfBoth);
            bothFrom = now + RETRY_NANOS;
        }
    }

    /**
     * Allows more bytes per request, and more requests.
     *
     * @param factor maximum factor for the bytes in flight. On a slow link, a request takes longer the more bytes are in flight
     * @return whether this has raised either limit
     */
    private boolean raiseLimits(boolean wasFull, double factor) {
        int larger = wasFull ? Math.min(mostBody, body + FIRST_BODY) : body;
        boolean isRaised = larger > body && larger <= factor * body;
        double left = isRaised ? factor * body / larger : factor;
        body = isRaised ? larger : body;
        if (allowed < connections && allowed + 1 <= left * allowed) {
            allowed++;
            return true;
        }
        return isRaised;
    }

    private void restStreams(boolean may, double now) {
        requests = may && now >= streamsUntil ? requests + 1 : 0;
        if (alone && now >= bothFrom) { // both together have not been tried
            requests = 0;
            bothFrom = Double.POSITIVE_INFINITY;
        }
        if (requests == 0) {
            alone = false;
        } else if (requests <= 2 * connections) {
            if (alone) { // what both have sent may wait for one late frame, and is consumed now
                rateOfBoth = Math.max(rateOfBoth, Math.min(consumedRate, streamRate + directRate));
            }
        } else if (!alone) {
            alone = true;
            rateOfBoth = consumedRate;
            requests = 1;
        } else if (Math.max(directRate, consumedRate) < LIKE_BOTH * rateOfBoth) {
            alone = false;
            streamsUntil = now + streamsNanos;
            streamsNanos = Math.min(LONGEST_REST_NANOS, 2 * streamsNanos);
        }
    }

    /** Records that a request has failed after a time. Failures before the first success are ignored, so that all connections fail soon. */
    public void failed(double nanos, double now) {
        if (requestNanos > 0 && now >= restUntil) { // requests that fail together count once
            rest(now, nanos);
        }
    }

    private void rest(double now, double nanos) {
        restUntil = now + Math.min(LONGEST_REST_NANOS, Math.max(restNanos, 30 * nanos));
        restNanos = Math.min(LONGEST_REST_NANOS, 2 * restNanos);
        learn();
    }

    /** Returns the age at which a request is late. Earlier requests may have been smaller. */
    private double lateNanos(int bytes) {
        double growth = requestBytes == 0 ? 1 : Math.max(1, bytes / requestBytes);
        return Math.max(MIN_LATE_NANOS, 2 * growth * requestNanos);
    }

    /** Returns whether a stream that cannot send anything else should repeat a request: it is late, or expected to end much later than the stream. */
    public boolean isOverdue(int bytes, double age) {
        // behind full windows
        double again = consumedRate == 0 ? 0 : (streams * Credit.STREAM_WINDOW + bytes) / consumedRate;
        boolean late = age > Math.max(lateNanos(bytes), again);
        return late || consumedRate > 0 && requestNanos - age > Math.max(MIN_LATE_NANOS, again);
    }
}
