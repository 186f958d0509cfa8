package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import org.junit.jupiter.api.Test;

class LaneBalanceTest extends BalancedLanes {
    @Test
    void largerRequestMayTakeLonger() {
        streams(50e6);
        balance.setConnections(CONNECTIONS);
        requests(40, 0.01);
        double start = now - 0.06 * SECOND;
        assertTrue(balance.allowsStreams(now, start, balance.body()), "a request is late");
        assertFalse(balance.allowsStreams(now, start, 4 * balance.body()));
    }

    /** The sender compresses, so that streams wait for frames most of the time. */
    @Test
    void streamsThatWaitSuffice() {
        balance.setConnections(CONNECTIONS);
        for (int i = 0; i < 100; i++) {
            balance.streamWrote(Credit.STREAM_WINDOW, 0.2 * SECOND, 0.8 * SECOND);
        }
        assertFalse(balance.allowsDirect(0, now));
        assertFalse(balance.needsDirect());
        for (int i = 0; i < 100; i++) {
            balance.streamWrote(Credit.STREAM_WINDOW, 0.8 * SECOND, 0.2 * SECOND);
        }
        assertTrue(balance.allowsDirect(0, now));
    }

    @Test
    void directLanesRestAfterStreamsHaveRepeatedRequest() {
        streams(10e6);
        balance.setConnections(CONNECTIONS);
        requests(2, 0.01);
        int body = balance.body();
        balance.delivered(body, 0.1 * SECOND, true, now);
        assertTrue(balance.body() < body);
        for (int i = 0; i < 3; i++) {
            balance.delivered(balance.body(), 0.1 * SECOND, true, now);
        }
        assertFalse(balance.allowsDirect(0, now + 0.5 * SECOND), "sixty times as long as a request usually takes");
        assertTrue(balance.allowsDirect(0, now + SECOND));
        assertTrue(balance.isOverdue(BLOCK, 0.2 * SECOND), "the next late request is repeated as soon as the first");
    }

    @Test
    void creditIsScarceIfStreamsMightUseItUp() {
        assertFalse(balance.isScarce(2 * Credit.STREAM_WINDOW));
        assertTrue(balance.isScarce(Credit.STREAM_WINDOW));
        assertTrue(new LaneBalance(2, MOST, SECOND).isScarce(2 * Credit.STREAM_WINDOW));
    }

    @Test
    void slowStreamRequestsLittleAhead() {
        streams(10e6);
        assertEquals(Credit.STREAM_WINDOW, balance.readAhead(), "no direct lanes");
        balance.setConnections(CONNECTIONS);
        assertEquals(Credit.STREAM_WINDOW, balance.readAhead(), "unknown");
        requests(20, CONNECTIONS * MOST / 310e6);
        assertEquals(Credit.WINDOW / 2 / 32, balance.readAhead(), Credit.WINDOW / 300.0);
    }

    @Test
    void requestsGrowWithSuccess() {
        balance.setConnections(CONNECTIONS);
        assertEquals(BLOCK, balance.body());
        assertTrue(balance.allowsDirect(0, now));
        assertFalse(balance.allowsDirect(1, now), "one request at first");
        requests(1, 0.01);
        assertTrue(balance.allowsDirect(1, now));
        assertEquals(2 * BLOCK, balance.body());
        requests(10, 0.01);
        assertTrue(balance.allowsDirect(CONNECTIONS - 1, now));
        assertFalse(balance.allowsDirect(CONNECTIONS, now));
        assertEquals(MOST, balance.body());
    }

    /** Such a frame is longer than its block, so that two need more than twice the length of a block. */
    @Test
    void requestsGrowWithUncompressedFrames() {
        balance.setConnections(CONNECTIONS);
        int frame = FrameCodec.DEFAULT_BLOCK + 100;
        for (int i = 0; i < 4; i++) {
            int frames = balance.body() / frame;
            balance.delivered(frames * frame, 0.01 * SECOND, false, now);
        }
        assertEquals(MOST, balance.body());
    }

    /** All requests share the line, so that more bytes in flight would only take longer. */
    @Test
    void requestsDoNotGrowOnThinLine() {
        balance.setConnections(CONNECTIONS);
        requests(5, 2);
        assertEquals(BLOCK, balance.body());
        assertFalse(balance.allowsDirect(1, now));
    }

    @Test
    void slowRequestsShrink() {
        balance.setConnections(CONNECTIONS);
        requests(10, 0.01);
        requests(5, 3);
        assertEquals(BLOCK, balance.body());
        assertFalse(balance.allowsDirect(1, now));
        assertTrue(balance.allowsDirect(0, now), "the line may be slow");
    }

    @Test
    void directLanesRestAfterFailure() {
        balance.setConnections(CONNECTIONS);
        requests(10, 0.01);
        balance.failed(0.001 * SECOND, now);
        assertFalse(balance.allowsDirect(0, now));
        assertTrue(allowsStreams());
        now += 0.06 * SECOND;
        assertTrue(balance.allowsDirect(0, now), "one more request");
        assertFalse(balance.allowsDirect(1, now));
        balance.failed(0.001 * SECOND, now);
        now += 0.06 * SECOND;
        assertFalse(balance.allowsDirect(0, now), "a longer rest");
        now += 0.06 * SECOND;
        assertTrue(balance.allowsDirect(0, now));
        requests(10, 0.3);
        balance.failed(0.3 * SECOND, now);
        now += 8 * SECOND;
        assertFalse(balance.allowsDirect(0, now), "a rest in proportion to the time that the failure has taken");
        now += 2 * SECOND;
        balance.failed(10 * SECOND, now);
        now += 20 * SECOND;
        assertTrue(balance.allowsDirect(0, now), "an outage, because requests usually take 0.3 s");
    }

    /** On a line that many transfers share, each request may time out. Each such request sends bytes twice. */
    @Test
    void restsGrowWhileNoRequestSucceeds() {
        balance.setConnections(CONNECTIONS);
        for (double rest = 0.05; rest < 60; rest *= 2) {
            balance.failed(10 * SECOND, now);
            assertFalse(balance.allowsDirect(0, now + 0.99 * rest * SECOND));
            now += 1.01 * rest * SECOND;
            assertTrue(balance.allowsDirect(0, now));
        }
    }

    /** A proxy may refuse each request: the transfer reports that only once all connections have failed. */
    @Test
    void fastFailuresBeforeFirstSuccessCauseNoRest() {
        balance.setConnections(CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            balance.failed(0.1 * SECOND, now);
            assertTrue(balance.allowsDirect(0, now));
        }
    }

    /** A proxy may have broken all connections at once. */
    @Test
    void requestsThatFailTogetherCountOnce() {
        balance.setConnections(CONNECTIONS);
        requests(10, 0.01);
        for (int i = 0; i < CONNECTIONS; i++) {
            balance.failed(0.001 * SECOND, now);
        }
        now += 0.06 * SECOND;
        assertTrue(balance.allowsDirect(0, now));
    }

    /** Later frames wait at the receiver for those of a request. */
    @Test
    void directLanesRestIfRequestsWouldUseUpCredit() {
        streams(50e6);
        balance.setConnections(CONNECTIONS);
        requests(1, 1);
        assertTrue(balance.allowsDirect(0, now), "a fresh JVM may have loaded classes");
        requests(1, 1);
        assertFalse(balance.allowsDirect(0, now));
        assertTrue(allowsStreams());
    }

    @Test
    void lateRequestIsOverdue() {
        streams(50e6);
        balance.setConnections(CONNECTIONS);
        requests(20, 0.04);
        assertFalse(balance.isOverdue(BLOCK, 0.07 * SECOND));
        assertTrue(balance.isOverdue(BLOCK, 0.09 * SECOND));
    }

    /** The receiver consumes many frames at a time after a late one, which does not make the line faster. */
    @Test
    void requestIsNotOverdueAfterBurst() {
        balance.granted(0, now);
        balance.setConnections(CONNECTIONS);
        now += 8 * SECOND;
        for (int i = 1; i <= 8; i++) {
            now += SECOND / 1000;
            balance.granted((long) i << 20, now);
        }
        requests(1, 0.1);
        assertFalse(balance.isOverdue(BLOCK, 0.5 * SECOND));
        assertTrue(balance.isOverdue(BLOCK, 1.5 * SECOND));
    }

    /** A stream sends a frame behind what fills its window. */
    @Test
    void requestIsNotOverdueWhileStreamWouldTakeLonger() {
        streams(1e6);
        balance.setConnections(CONNECTIONS);
        requests(20, 0.1);
        double window = Credit.STREAM_WINDOW / 1e6;
        assertFalse(balance.isOverdue(BLOCK, window * SECOND));
        assertTrue(balance.isOverdue(BLOCK, (window + 0.4) * SECOND));
    }
}
