package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.direct.Admissions.Admission;
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
        assertEquals(sends, admissions.find(sends.token()));
        assertEquals(idle.get(7), admissions.find(idle.get(7).token()));
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
        assertNull(admissions.find(slow.token()));
        assertTrue(Thread.currentThread().isInterrupted(), "it is told to end");
        slow.end();
        assertEquals(Admissions.CONNECTIONS, free());
        slow.close();
        assertEquals(Admissions.CONNECTIONS, free(), taken + " are not given back twice");
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
