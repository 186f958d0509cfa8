package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions.Session;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DirectLaneSessionsTest {
    private final DirectLaneSessions sessions = new DirectLaneSessions();

    private Session open(String agent) {
        return sessions.openUpload(null, taken -> {}, new DirectLaneSessions.Terms(agent, 3));
    }

    private Session open() {
        return open("agent");
    }

    @Test
    void idleTransfersReserveNoConnection() {
        List<Session> idle = Stream.generate(this::open).limit(200).toList();
        Session sends = open();
        assertEquals(3, sends.connections());
        assertEquals(sends, sessions.find(sends.keys().id()));
        assertEquals(idle.get(7), sessions.find(idle.get(7).keys().id()));
    }

    @Test
    void connectionsOfAllTransfersAreLimited() {
        List<Session> all =
                IntStream.range(0, 100).mapToObj(i -> open("agent " + i)).toList();
        IntStream connections = all.stream().mapToInt(Session::connections);
        assertEquals(DirectLaneSessions.CONNECTIONS, connections.sum());
        assertTrue(
                all.stream().filter(each -> each.connections() > 0).count() >= 20, "20 agents get at least one each");

        Session without = all.get(99);
        assertEquals(0, without.connections());
        assertFalse(without.begin());
        all.get(0).close();
        assertTrue(without.connections() > 0, "a closed session releases its connections");
    }

    @Test
    void oneAgentGetsAQuarterOfTheConnections() {
        List<Session> branches =
                Stream.generate(() -> open("hostile")).limit(24).toList();
        assertEquals(
                DirectLaneSessions.CONNECTIONS_PER_AGENT,
                branches.stream().mapToInt(Session::connections).sum());
        assertEquals(3, open("honest").connections(), "as many as without the other agent");
    }

    /** Required direct lanes wait; other transfers use the channel. */
    @Test
    @Timeout(30)
    void requiredTransferWaitsForConnection() throws Exception {
        List<Session> branches = Stream.generate(this::open)
                .limit(DirectLaneSessions.CONNECTIONS_PER_AGENT)
                .toList();
        branches.forEach(Session::connections);
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        PrintStream lines = new PrintStream(log, true);
        Session next = open();
        FutureTask<Void> waiting = new FutureTask<>(() -> {
            next.awaitConnection(lines);
            return null;
        });
        Thread waits = new Thread(waiting);
        waits.start();
        while (waits.getState() != Thread.State.WAITING && !waiting.isDone()) {
            Thread.onSpinWait();
        }
        assertEquals(1, log.toString().lines().count(), log.toString());
        branches.get(0).close();
        waiting.get();
        assertTrue(next.connections() > 0);

        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> open().awaitConnection(lines));
    }

    @Test
    void requestThatOutlivesItsTransferKeepsItsConnection() {
        Session slow = sessions.openUpload(
                null, taken -> {}, new DirectLaneSessions.Terms("agent", DirectLaneSessions.CONNECTIONS));
        int taken = slow.connections();
        assertTrue(slow.begin());
        slow.close();
        assertEquals(DirectLaneSessions.CONNECTIONS - 1, free());
        assertFalse(slow.begin());
        assertNull(sessions.find(slow.keys().id()));
        assertTrue(Thread.currentThread().isInterrupted(), "the request is interrupted");
        slow.end();
        assertEquals(DirectLaneSessions.CONNECTIONS, free());
        slow.close();
        assertEquals(DirectLaneSessions.CONNECTIONS, free(), taken + " connections are not released twice");
    }

    private static boolean admits(Session transfer, LaneKeys agent, long number) {
        LaneKeys.Request request = LaneKeys.Request.of(agent.request(number, "head"));
        return transfer.admits(request, "head");
    }

    @Test
    void repeatedRequestIsRejected() {
        Session transfer = open();
        LaneKeys agent = new LaneKeys(transfer.secret());
        for (long number : new long[] {2, 1, 5000, 4}) {
            assertTrue(admits(transfer, agent, number));
            assertFalse(admits(transfer, agent, number));
        }
        for (long number = 10_000; number < 20_000; number++) {
            assertTrue(admits(transfer, agent, number));
        }
        assertFalse(admits(transfer, agent, 5000), "too old to be remembered");
        assertFalse(admits(transfer, agent, 4999), "older numbers are rejected, even unused ones");
        assertFalse(admits(transfer, agent, 19_999));
        LaneKeys.Request request = LaneKeys.Request.of(agent.request(20_000, "head"));
        assertFalse(transfer.admits(request, "other head"));
        assertFalse(admits(open(), agent, 20_001), "a request of another transfer");
        assertTrue(transfer.admits(request, "head"), "a wrong head uses up no number");
    }

    private int free() {
        List<Session> all = IntStream.range(0, 100)
                .mapToObj(i -> sessions.openUpload(null, taken -> {}, new DirectLaneSessions.Terms("agent " + i, 1)))
                .toList();
        int free = all.stream().mapToInt(Session::connections).sum();
        all.forEach(Session::close);
        return free;
    }
}
