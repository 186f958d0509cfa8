package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.Admissions.Admission;
import io.jenkins.plugins.compressionaware.engine.lane.LaneKeys;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdmissionsTest {
    private final Admissions admissions = new Admissions();

    private Admission open() {
        return admissions.open(null, taken -> {}, 3);
    }

    @Test
    void transfersThatNeverSendARequestTakeNoConnection() {
        List<Admission> idle = Stream.generate(this::open).limit(200).toList();
        Admission sends = open();
        assertEquals(3, sends.connections());
        assertEquals(sends, admissions.find(sends.keys().id()));
        assertEquals(idle.get(7), admissions.find(idle.get(7).keys().id()));
    }

    @Test
    void allTogetherHaveALimit() {
        List<Admission> all = Stream.generate(this::open).limit(100).toList();
        IntStream connections = all.stream().mapToInt(Admission::connections);
        assertEquals(Admissions.CONNECTIONS, connections.sum());
        assertTrue(
                all.stream().filter(each -> each.connections() > 0).count() >= 20, "20 agents get at least one each");

        Admission without = all.get(99);
        assertEquals(0, without.connections());
        assertFalse(without.begin());
        all.get(0).close();
        assertTrue(without.connections() > 0, "what was closed has given its connections back");
    }

    @Test
    void aRequestThatOutlivesItsTransferKeepsItsConnection() {
        Admission slow = admissions.open(null, taken -> {}, Admissions.CONNECTIONS);
        int taken = slow.connections();
        assertTrue(slow.begin());
        slow.close();
        assertEquals(Admissions.CONNECTIONS - 1, free());
        assertFalse(slow.begin());
        assertNull(admissions.find(slow.keys().id()));
        assertTrue(Thread.currentThread().isInterrupted(), "it is told to end");
        slow.end();
        assertEquals(Admissions.CONNECTIONS, free());
        slow.close();
        assertEquals(Admissions.CONNECTIONS, free(), taken + " are not given back twice");
    }

    private static boolean admits(Admission transfer, LaneKeys agent, long number) {
        LaneKeys.Request request = LaneKeys.Request.of(agent.request(number, true, "head"));
        return transfer.admits(request, "head");
    }

    @Test
    void whatComesAgainIsRefused() {
        Admission transfer = open();
        LaneKeys agent = new LaneKeys(transfer.secret());
        for (long number : new long[] {2, 1, 5000, 4}) {
            assertTrue(admits(transfer, agent, number));
            assertFalse(admits(transfer, agent, number));
        }
        for (long number = 10_000; number < 20_000; number++) {
            assertTrue(admits(transfer, agent, number));
        }
        assertFalse(admits(transfer, agent, 5000), "too old to be remembered");
        assertFalse(admits(transfer, agent, 4999), "so is one that has not come");
        assertFalse(admits(transfer, agent, 19_999));
        LaneKeys.Request request = LaneKeys.Request.of(agent.request(20_000, true, "head"));
        assertFalse(transfer.admits(request, "other head"));
        assertFalse(admits(open(), agent, 20_001), "another transfer's");
        assertTrue(transfer.admits(request, "head"), "a wrong head uses up no number");
    }

    private int free() {
        List<Admission> all = Stream.generate(() -> admissions.open(null, taken -> {}, 1))
                .limit(100)
                .toList();
        int free = all.stream().mapToInt(Admission::connections).sum();
        all.forEach(Admission::close);
        return free;
    }
}
