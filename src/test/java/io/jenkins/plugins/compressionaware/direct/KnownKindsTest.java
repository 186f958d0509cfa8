package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.direct.KnownKinds.Fact;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is kept of a kind of agents, and for how long. */
class KnownKindsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final KnownKinds kinds = new KnownKinds(now::get);

    private void assertKnown(Integer expected, String kind, Fact fact) {
        assertEquals(expected, kinds.known(kind, fact), kind);
    }

    @Test
    void theLastOneCounts() {
        assertKnown(null, "a", Fact.BODY_LIMIT);
        kinds.learn("a", Fact.BODY_LIMIT, 1, KnownKinds.DAY);
        kinds.learn("a", Fact.BODY_LIMIT, 3, KnownKinds.DAY);
        assertKnown(3, "a", Fact.BODY_LIMIT);
        assertKnown(null, "a", Fact.LANE);
        assertKnown(null, "b", Fact.BODY_LIMIT);
    }

    @Test
    void eachFactIsForgottenInItsTime() {
        kinds.learn("a", Fact.BODY_LIMIT, 1, Long.MAX_VALUE);
        kinds.learn("a", Fact.LANE, 1, 10);
        now.addAndGet(10);
        assertKnown(1, "a", Fact.LANE);
        now.incrementAndGet();
        assertKnown(null, "a", Fact.LANE);
        now.addAndGet(TimeUnit.DAYS.toNanos(1) - 11);
        assertKnown(1, "a", Fact.BODY_LIMIT);
        now.incrementAndGet();
        assertKnown(null, "a", Fact.BODY_LIMIT);
    }

    @Test
    void isBounded() {
        for (int i = 0; i < KnownKinds.MOST; i++) {
            kinds.learn("kind " + i, Fact.BODY_LIMIT, i, KnownKinds.DAY);
        }
        kinds.learn("kind 0", Fact.LANE, 7, KnownKinds.DAY);
        kinds.learn("one more", Fact.BODY_LIMIT, 7, KnownKinds.DAY);
        assertKnown(0, "kind 0", Fact.BODY_LIMIT);
        assertKnown(null, "kind 1", Fact.BODY_LIMIT);
        assertKnown(2, "kind 2", Fact.BODY_LIMIT);
    }
}
