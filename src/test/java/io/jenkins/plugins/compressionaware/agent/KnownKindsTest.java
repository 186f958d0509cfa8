package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.agent.KnownKinds.Fact;
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
        assertKnown(null, "a", Fact.LINK);
        kinds.learn("a", Fact.LINK, 1, KnownKinds.DAY);
        kinds.learn("a", Fact.BODY_LIMIT, 2, KnownKinds.DAY);
        kinds.learn("a", Fact.LINK, 3, KnownKinds.DAY);
        assertKnown(3, "a", Fact.LINK);
        assertKnown(2, "a", Fact.BODY_LIMIT);
        assertKnown(null, "a", Fact.LANE);
        assertKnown(null, "b", Fact.LINK);
    }

    @Test
    void eachFactIsForgottenInItsTime() {
        kinds.learn("a", Fact.LINK, 1, Long.MAX_VALUE);
        kinds.learn("a", Fact.LANE, 1, 10);
        now.addAndGet(10);
        assertKnown(1, "a", Fact.LANE);
        now.incrementAndGet();
        assertKnown(null, "a", Fact.LANE);
        now.addAndGet(TimeUnit.DAYS.toNanos(1) - 11);
        assertKnown(1, "a", Fact.LINK);
        now.incrementAndGet();
        assertKnown(null, "a", Fact.LINK);
    }

    @Test
    void isBounded() {
        for (int i = 0; i < KnownKinds.MOST; i++) {
            kinds.learn("kind " + i, Fact.LINK, i, KnownKinds.DAY);
        }
        kinds.learn("kind 0", Fact.BODY_LIMIT, 7, KnownKinds.DAY);
        kinds.learn("one more", Fact.LINK, 7, KnownKinds.DAY);
        assertKnown(0, "kind 0", Fact.LINK);
        assertKnown(null, "kind 1", Fact.LINK);
        assertKnown(2, "kind 2", Fact.LINK);
    }
}
