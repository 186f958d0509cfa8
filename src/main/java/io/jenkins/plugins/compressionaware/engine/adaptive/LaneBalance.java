package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Decides whether streams, direct lanes or both get the next frames, from the bytes per nanosecond that each way delivers. Direct lanes need less CPU time and
 * leave the channel to others, so streams rest unless they are faster. Has no clock and no lock: all times are nanoseconds of the caller's clock.
 */
@Restricted(NoExternalUse.class)
public final class LaneBalance {
    /** Bytes of a first request, and by which requests grow: one uncompressed block with its header. */
    private static final int FIRST_BODY = 257 * 1024;

    /** Streams rest if direct lanes deliver at least this share of their rate. */
    private static final double ENOUGH_DIRECT = 0.9;

    /** Streams no longer rest if direct lanes alone deliver less than this share of what both have delivered. */
    private static final double LIKE_BOTH = 0.95;

    /** Share of the credit that the receiver may consume during a request. Later frames wait for those of the request, and need credit. */
    private static final double MAX_HELD = 0.125;

    /** Share of the time limit of a request that the bytes of a request may take. */
    private static final double MAX_SHARE_OF_LIMIT = 0.25;

    /** Age below which no request is late: garbage collections and busy processors delay some. */
    private static final double MIN_LATE_NANOS = 50e6;

    /** Time over which the receiver's rate is averaged. The receiver consumes frames in order, so it consumes many at a time after a late one. */
    private static final double CONSUMED_NANOS = 3e8;

    private static final double GAIN = 0.4;
    private static final double FIRST_REST_NANOS = 1e9;
    private static final double LONGEST_REST_NANOS = 60e9;

    private final int streams;
    private final int mostBody;
    private final double limitNanos;

    /** Bytes per nanosecond in writes of the streams: an upper bound, because writes return early while the windows have space. */
    private double streamRate;

    private double streamBytes;
    private double streamNanos;

    /** Bytes per nanosecond that the receiver consumes; 0 if unknown. */
    private double consumedRate;

    private double consumedBytes;
    private double consumedNanos;

    private long granted = -1;
    private double grantedAt;

    private int connections;
    private double directRate;
    private double requestNanos;
    private int body;
    private int allowed;
    private boolean learning;
    private boolean streamsRest;
    private double rateOfBoth;
    private int requests;
    private double streamsNanos = FIRST_REST_NANOS;
    private double streamsUntil = Double.NEGATIVE_INFINITY;
    private double restNanos = FIRST_REST_NANOS;
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

    /** Records the write of a stream. */
    public void streamWrote(int bytes, double nanos) {
        streamBytes += bytes;
        streamNanos += nanos;
        if (streamBytes >= Credit.STREAM_WINDOW || streamNanos >= 10e6 * streams) {
            double rate = streams * streamBytes / Math.max(1, streamNanos);
            streamRate = streamRate == 0 ? rate : streamRate * Math.pow(rate / streamRate, GAIN);
            streamBytes = 0;
            streamNanos = 0;
        }
    }

    /** Records the receiver's latest grant, bytes since the start. */
    public void granted(long limit, double now) {
        if (granted < 0) {
            granted = limit;
            grantedAt = now;
        } else if (limit - granted >= Credit.STREAM_WINDOW / 2 && now > grantedAt) {
            double kept = Math.exp((grantedAt - now) / CONSUMED_NANOS);
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
        }
        connections = count;
    }

    private void learn() {
        learning = true;
        allowed = 1;
        body = Math.min(FIRST_BODY, mostBody);
        directRate = 0;
        streamsRest = false;
    }

    /** Returns whether a direct lane may send a request now. */
    public boolean allowsDirect(int inFlight, double now) {
        return inFlight < requests(now);
    }

    /** Returns the number of requests that may run now. */
    public int requests(double now) {
        return now < restUntil ? 0 : Math.min(allowed, connections);
    }

    /** Returns whether a stream may send a new frame now. */
    public boolean allowsStreams(double now, double oldestRequest) {
        return !streamsRest || now < restUntil || now - oldestRequest > lateNanos();
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
        requestNanos = requestNanos == 0 ? nanos : requestNanos + GAIN * (nanos - requestNanos);
        boolean faster = directRate >= ENOUGH_DIRECT * streamRate;
        boolean holds = !faster && nanos * consumedRate > MAX_HELD * Credit.WINDOW;
        if (holds && first) {
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
            learning &= grow(wasFull, MAX_SHARE_OF_LIMIT * limitNanos / nanos);
            restNanos = learning ? restNanos : FIRST_REST_NANOS;
        }
        restStreams(faster && !learning, now);
    }

    /**
     * Allows more bytes per request, and more requests.
     *
     * @param room factor by which the bytes in flight may grow: on a thin line, the time of a request grows with them
     * @return whether something has grown
     */
    private boolean grow(boolean wasFull, double room) {
        int larger = wasFull ? Math.min(mostBody, body + FIRST_BODY) : body;
        boolean grows = larger > body && larger <= room * body;
        double left = grows ? room * body / larger : room;
        body = grows ? larger : body;
        if (allowed < connections && allowed + 1 <= left * allowed) {
            allowed++;
            return true;
        }
        return grows;
    }

    private void restStreams(boolean may, double now) {
        requests = may && now >= streamsUntil ? requests + 1 : 0;
        if (requests == 0) {
            streamsRest = false;
        } else if (requests <= 2 * connections) {
            if (streamsRest) { // what both have sent may wait for one late frame, and is consumed now
                rateOfBoth = Math.max(rateOfBoth, Math.min(consumedRate, streamRate + directRate));
            }
        } else if (!streamsRest) {
            streamsRest = true;
            rateOfBoth = consumedRate;
            requests = 1;
        } else if (directRate < LIKE_BOTH * rateOfBoth) {
            streamsRest = false;
            streamsUntil = now + streamsNanos;
            streamsNanos = Math.min(LONGEST_REST_NANOS, 2 * streamsNanos);
        }
    }

    /** Records that a request has failed after a time. Until one has succeeded, the other connections try theirs, so that their failure is known soon. */
    public void failed(double nanos, double now) {
        if (requestNanos > 0 && now >= restUntil) { // requests that fail together count once
            rest(now, nanos);
        }
    }

    private void rest(double now, double nanos) {
        restUntil = now + Math.max(restNanos, 30 * nanos);
        restNanos = Math.min(LONGEST_REST_NANOS, 2 * restNanos);
        learn();
    }

    /** Returns the age at which a request is late. */
    private double lateNanos() {
        return Math.max(MIN_LATE_NANOS, 2 * requestNanos);
    }

    /** Returns whether a stream with nothing else to send should repeat a request that is late, or is expected to end much later than the stream. */
    public boolean isOverdue(int bytes, double age) {
        // behind full windows
        double again = consumedRate == 0 ? 0 : (streams * Credit.STREAM_WINDOW + bytes) / consumedRate;
        boolean late = age > Math.max(lateNanos(), again);
        return late || consumedRate > 0 && requestNanos - age > Math.max(MIN_LATE_NANOS, again);
    }
}
