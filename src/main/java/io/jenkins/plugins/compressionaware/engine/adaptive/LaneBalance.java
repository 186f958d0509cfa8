package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Decides whether streams, direct lanes or both get the next frames: streams while they suffice, otherwise both, but streams rest once direct lanes alone
 * deliver about as much as both, because other transfers use the channel. In a download, ranges replace frames, reads replace writes, and consumed bytes
 * replace grants. Has no clock and no lock: all times are nanoseconds of the caller's clock.
 */
@Restricted(NoExternalUse.class)
public final class LaneBalance {
    /** Bytes of a first request, and the step by which the limit of bytes rises: one uncompressed block with its header. */
    private static final int FIRST_BODY = 257 * 1024;

    /** Streams suffice if they write for less than this share of the time. Before the first measurement, direct lanes may start: a stream may hang in a write. */
    private static final double BUSY = StreamRate.UNKNOWN_BUSY;

    /** Streams rest for an attempt if direct lanes beside them deliver at least this share of their rate: both may need the same line and processors. */
    private static final double WORTH_ATTEMPT = 0.5;

    /** Requests may hold much credit while direct lanes deliver at least this share of the streams' rate. */
    private static final double ENOUGH_DIRECT = 0.9;

    /** Direct lanes alone must deliver this share of the rate of both, as far as the credit allows that rate. */
    private static final double LIKE_BOTH = 0.9;

    /** An attempt ends early if direct lanes deliver less than this share of {@link #required}. */
    private static final double CLEARLY_SLOWER = 0.7;

    /** Minimum duration of an attempt to be sure: garbage collections and busy processors disturb shorter ones. A measurement of both counts as no shorter. */
    private static final double SURE_NANOS = 1.5e8;

    /** Share of the credit that the receiver may consume during a request. Later frames wait for those of the request, and need credit. */
    private static final double MAX_HELD = 0.25;

    /** Share of the time limit of a request that the bytes of a request may take. */
    private static final double MAX_SHARE_OF_LIMIT = 0.25;

    /** Age below which no request is late or overdue: garbage collections and busy processors delay some. */
    private static final double MIN_LATE_NANOS = 50e6;

    /** A request that takes this many times as long as usual is late. */
    private static final double UNUSUAL = 2;

    /** Factor between the cost of a failure, a failed attempt or a measurement of both, and the time until the next. Outages may cost more than a thirtieth. */
    private static final double PAUSE_FACTOR = 30;

    /** Weight of the latest value in a mean. */
    private static final double GAIN = 0.4;

    private final int mostBody;
    private final double limitNanos;
    private final StreamRate streamed;
    private final ConsumedRate consumed = new ConsumedRate();
    private final LaneRest lanesRest = new LaneRest();

    private int connections;

    /** Bytes per nanosecond of all direct lanes; 0 if unknown. */
    private double directRate;

    /** Mean duration of a request; 0 before the first. */
    private double requestNanos;

    /** Mean bytes of the requests that took {@link #requestNanos}. */
    private double requestBytes;

    /** Maximum bytes of the next request. */
    private int body;

    /** Maximum number of requests at a time. */
    private int allowed;

    /** Whether every request has raised a limit so far. */
    private boolean learning;

    /** Whether streams rest. */
    private boolean alone;

    private double aloneSince;

    /** Time after which both send again, because the channel may have become faster. */
    private double bothFrom;

    /** Bytes per nanosecond that direct lanes alone must deliver. */
    private double required;

    /** Requests of the current comparison, see {@link #compare}. */
    private int compared;

    private double comparedSince;

    /** Bytes that direct lanes have delivered since {@link #comparedSince}, minus {@link StreamRate#written} at that time. */
    private double comparedBytes;

    private double noAttemptBefore = Double.NEGATIVE_INFINITY;

    /**
     * @param mostBody   maximum bytes of a request
     * @param limitNanos time limit of a request
     */
    public LaneBalance(int streams, int mostBody, double limitNanos) {
        streamed = new StreamRate(streams);
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
        streamed.wrote(bytes, nanos, waitNanos);
    }

    /** Records the receiver's latest grant, bytes since the start. */
    public void granted(long limit, double now) {
        consumed.granted(limit, requestNanos, now);
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
        letStreamsSend();
    }

    private void letStreamsSend() {
        if (alone) {
            streamed.restart();
        }
        alone = false;
        compared = 0;
    }

    /** Returns whether the streams do not suffice. */
    public boolean needsDirect() {
        return streamed.busy() >= BUSY;
    }

    /** Returns whether a direct lane may send a request now. */
    public boolean allowsDirect(int inFlight, double now) {
        return inFlight < requests(now);
    }

    /** Returns whether direct lanes rest for a time, after a failure or a late request. */
    public boolean directLanesRest(double now) {
        return lanesRest.lasts(now);
    }

    /** Returns the number of requests that may run now. */
    public int requests(double now) {
        boolean needed = alone || needsDirect();
        return needed && !lanesRest.lasts(now) ? Math.min(allowed, connections) : 0;
    }

    /**
     * Returns whether a stream may send a new frame now.
     *
     * @param oldestRequest start of the oldest request, or {@code now}
     * @param bytes         of that request
     */
    public boolean allowsStreams(double now, double oldestRequest, int bytes) {
        return !alone || lanesRest.lasts(now) || now - oldestRequest > lateNanos(bytes);
    }

    /** Returns the bytes that a stream requests ahead in a download: the streams' share of half the credit, because later ranges wait for those of slow streams. */
    public int readAhead() {
        boolean known = connections > 0 && directRate > 0 && streamed.perNano() > 0;
        double share = known ? streamed.perNano() / (streamed.perNano() + directRate) : 1;
        // at least 1: a lane without outstanding ranges ends
        return 1 + (int) ((Credit.STREAM_WINDOW - 1) * Math.min(1, share * Credit.WINDOW / 2 / streamed.windows()));
    }

    /** Returns the maximum bytes of the next request. */
    public int body() {
        return body;
    }

    /**
     * Records that a request has delivered its bytes.
     *
     * @param repeated whether a stream has repeated the request
     */
    public void delivered(int bytes, double nanos, boolean repeated, double now) {
        boolean wasFull = bytes > body - FIRST_BODY / 2;
        boolean first = requestNanos == 0;
        boolean counts = bytes >= requestBytes / 2; // a request with fewer bytes has waited for frames or credit
        if (counts) {
            double rate = Math.min(allowed, connections) * bytes / Math.max(1, nanos);
            directRate = directRate == 0 || learning ? rate : directRate * Math.pow(rate / directRate, GAIN);
        }
        if (first || !repeated) { // otherwise, later requests would be repeated later
            requestBytes = first ? bytes : requestBytes + GAIN * (bytes - requestBytes);
            requestNanos = first ? nanos : requestNanos + GAIN * (nanos - requestNanos);
        }
        boolean enough = directRate >= ENOUGH_DIRECT * streamed.perNano();
        boolean holds = repeated || !alone && !enough && nanos * consumed.perNano() > MAX_HELD * Credit.WINDOW;
        if (holds && first) {
            return; // it may have taken long because a fresh JVM has loaded classes
        }
        if (holds || nanos > MAX_SHARE_OF_LIMIT * limitNanos) {
            learning = false;
            compared = alone ? compared : 0;
            if (allowed == 1 && body <= FIRST_BODY && (holds || !enough)) {
                rest(now, nanos);
                return;
            }
            allowed = Math.max(1, allowed - 1);
            body = Math.max(Math.min(FIRST_BODY, mostBody), body - FIRST_BODY);
        } else {
            learning &= raiseLimits(wasFull, MAX_SHARE_OF_LIMIT * limitNanos / nanos);
            if (!learning) {
                lanesRest.forgetFailures();
            }
        }
        comparedBytes += bytes;
        if (counts) {
            compare(!learning && directRate >= WORTH_ATTEMPT * streamed.perNano(), now);
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

    /** Compares the rate of direct lanes alone with that of both. Called after each request with the usual bytes. */
    private void compare(boolean mayAttempt, double now) {
        compared = alone || mayAttempt && streamed.hasFilledWindows() && now >= noAttemptBefore ? compared + 1 : 0;
        // the first starts the span; in an attempt, one of each connection began beside streams
        if (compared <= (alone ? connections : 1)) {
            comparedSince = now;
            comparedBytes = -streamed.written();
        } else if (compared > 2 * connections) {
            double rate = (comparedBytes + streamed.written()) / Math.max(1, now - comparedSince);
            if (alone) {
                judge(Math.max(rate, directRate) / required, now);
            } else {
                attempt(rate, now);
            }
        }
    }

    /** Lets the streams rest. */
    private void attempt(double rate, double now) {
        // until a full window has passed a stream, both send at most the credit
        double credit = Math.max(Credit.WINDOW / 2.0, Credit.WINDOW - (double) allowed * body);
        required = LIKE_BOTH * Math.min(rate, streamed.perNano() * credit / streamed.windows());
        alone = true;
        aloneSince = now;
        // full windows delay later frames, so that measuring costs this, too
        double fill = streamed.windows() / streamed.perNano();
        bothFrom = now + PAUSE_FACTOR * Math.max(SURE_NANOS, now - comparedSince + fill);
        compared = 0;
    }

    /**
     * Ends or continues an attempt.
     *
     * @param share rate of direct lanes alone, as a share of what is required
     */
    private void judge(double share, double now) {
        boolean sure = compared > 6 * connections && now - aloneSince > SURE_NANOS;
        if (share < (sure ? 1 : CLEARLY_SLOWER)) {
            double lost = 1 - LIKE_BOTH * share; // against both
            noAttemptBefore = now + PAUSE_FACTOR * lost * (now - aloneSince);
            letStreamsSend();
        } else if (sure && now >= bothFrom) {
            noAttemptBefore = now;
            letStreamsSend();
        } else if (sure) {
            aloneSince = now;
            compared = connections - 1;
        }
    }

    /** Records that a request has failed after a time. Fast failures before the first success are ignored, so that connections that cannot work end soon. */
    public void failed(double nanos, double now) {
        boolean counts = requestNanos > 0 || nanos > MAX_SHARE_OF_LIMIT * limitNanos;
        if (counts && !lanesRest.lasts(now)) { // requests that fail together count once
            rest(now, nanos);
        }
    }

    private void rest(double now, double nanos) {
        // a failure that takes much longer than usual is an outage; before the first success, only the minimum counts
        double cost = Math.min(nanos, UNUSUAL * requestNanos);
        lanesRest.begin(PAUSE_FACTOR * cost, now);
        learn();
    }

    /** Returns the age at which a request is late. Earlier requests may have been smaller. */
    private double lateNanos(int bytes) {
        double growth = requestBytes == 0 ? 1 : Math.max(1, bytes / requestBytes);
        return Math.max(MIN_LATE_NANOS, UNUSUAL * growth * requestNanos);
    }

    /** Returns whether so little credit is left that a stream's next frames might use it up before an overdue request is repeated. */
    public boolean isScarce(long credit) {
        return credit < streamed.windows() + FIRST_BODY;
    }

    /** Returns whether a stream should repeat a request: it takes longer than a stream needs behind full windows. While streams rest, it must also be late. */
    public boolean isOverdue(int bytes, double age) {
        boolean known = streamed.perNano() > 0 && consumed.perNano() > 0;
        double rate =
                known ? Math.min(streamed.perNano(), consumed.perNano()) : streamed.perNano() + consumed.perNano();
        double again = rate == 0 ? 0 : (streamed.windows() + bytes) / rate;
        return age > Math.max(alone ? lateNanos(bytes) : MIN_LATE_NANOS, again);
    }
}
