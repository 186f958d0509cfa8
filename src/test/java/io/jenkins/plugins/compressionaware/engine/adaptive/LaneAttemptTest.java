package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import org.junit.jupiter.api.Test;

/** Tests when streams rest for an attempt of direct lanes, and when they return. */
class LaneAttemptTest extends BalancedLanes {
    @Test
    void streamsRestWhenDirectLanesAreFaster() {
        streams(50e6);
        balance.setConnections(CONNECTIONS);
        assertTrue(allowsStreams(), "the rate of direct lanes is unknown");
        requests(20, 0.01);
        assertFalse(allowsStreams());
        assertTrue(balance.allowsStreams(now, now - SECOND, 1), "a request is late");
        balance.setConnections(0);
        assertTrue(allowsStreams());
    }

    @Test
    void streamsWorkBesideSlowerDirectLanes() {
        streams(10e6);
        balance.setConnections(CONNECTIONS);
        for (int i = 0; i < 20; i++) {
            requests(1, CONNECTIONS * balance.body() / 6e6);
        }
        assertTrue(allowsStreams());
        assertTrue(balance.allowsDirect(0, now));
    }

    /** Both share the line at first, so that streams look slow; then a proxy limits the requests. */
    @Test
    void streamsReturnIfDirectLanesAloneAreSlower() {
        streams(10e6);
        balance.setConnections(CONNECTIONS);
        both(20, seconds(7e6), 3e6);
        assertFalse(allowsStreams(), "an attempt");
        requestsOnAllConnections(3 * CONNECTIONS, seconds(2e6));
        assertTrue(allowsStreams());
    }

    /** Direct lanes use none of the line that the streams use. */
    @Test
    void bothSendIfNeitherTakesRateFromTheOther() {
        streams(10e6);
        balance.setConnections(CONNECTIONS);
        for (int i = 0; i < 40 && allowsStreams(); i++) {
            both(1, seconds(12e6), 10e6);
        }
        assertFalse(allowsStreams(), "an attempt");
        double start = now;
        requestsOnAllConnections(8 * CONNECTIONS, seconds(12e6));
        assertTrue(allowsStreams());
        double took = now - start;
        both(3 * CONNECTIONS, seconds(12e6), 10e6);
        assertTrue(allowsStreams(), "the next attempt comes later");
        now += 15 * took;
        both(3 * CONNECTIONS, seconds(12e6), 10e6);
        assertFalse(allowsStreams(), "the next attempt");
    }

    /** Direct lanes alone deliver four fifths of the rate of both. What the streams delivered before, 4 MB/s, must not count. */
    @Test
    void bothSendIfDirectLanesAloneAreSlower() {
        streams(4e6);
        balance.setConnections(CONNECTIONS);
        for (int i = 0; i < 40 && allowsStreams(); i++) {
            both(1, seconds(40e6), 10e6);
        }
        assertFalse(allowsStreams(), "an attempt");
        requestsOnAllConnections(8 * CONNECTIONS, seconds(40e6));
        assertTrue(allowsStreams());
    }

    /** The channel may have been slow only while it was measured. */
    @Test
    void bothSendAgainAfterSomeTime() {
        streams(4e6);
        balance.setConnections(CONNECTIONS);
        both(20, seconds(50e6), 4e6);
        double start = now;
        while (!allowsStreams() && now < start + 60 * SECOND) {
            requestsOnAllConnections(1, seconds(50e6));
        }
        assertTrue(now > start + 4 * SECOND, "after " + (now - start) / SECOND + " s");
        assertTrue(now < start + 30 * SECOND);
        both(30, seconds(50e6), 100e6);
        requestsOnAllConnections(3 * CONNECTIONS, seconds(50e6));
        assertTrue(allowsStreams(), "streams are twice as fast");
    }

    /** Frames in transit on slow streams need most of the credit. */
    @Test
    void slowStreamsRestThoughBothWouldBeFaster() {
        LaneBalance slow = new LaneBalance(8, MOST, 10 * SECOND);
        for (int i = 0; i < 20; i++) {
            slow.streamWrote(Credit.STREAM_WINDOW, 8 * Credit.STREAM_WINDOW * SECOND / 10e6, 0);
        }
        slow.setConnections(CONNECTIONS);
        boolean rested = false;
        for (int i = 0; i < 60; i++) {
            now += SECOND * MOST / 20e6;
            if (!rested) {
                slow.streamWrote(MOST / 2, 8 * SECOND * MOST / 20e6, 0);
            }
            slow.delivered(slow.body(), seconds(20e6) * SECOND * slow.body() / MOST, false, now);
            assertFalse(rested && slow.allowsStreams(now, now, 0), "streams work again after " + i + " requests");
            rested |= !slow.allowsStreams(now, now, 0);
        }
        assertTrue(rested);
    }

    /** Such requests have waited for frames or credit. */
    @Test
    void smallRequestsDoNotShowRate() {
        streams(10e6);
        balance.setConnections(CONNECTIONS);
        both(20, seconds(50e6), 1e6);
        requestsOnAllConnections(2 * CONNECTIONS, seconds(50e6));
        for (int i = 0; i < 4 * CONNECTIONS; i++) {
            now += seconds(50e6) * SECOND / CONNECTIONS;
            balance.delivered(MOST / 50, seconds(50e6) * SECOND, false, now);
            assertFalse(allowsStreams(), "after " + i + " small requests");
        }
        requestsOnAllConnections(1, seconds(50e6));
        assertFalse(allowsStreams());
    }

    @Test
    void requestWithoutDurationCounts() {
        streams(50e6);
        balance.setConnections(CONNECTIONS);
        requests(20, 0);
        assertFalse(allowsStreams());
        requestsOnAllConnections(20, 0.2);
        assertTrue(allowsStreams());
    }
}
