package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the next agent of a kind begins with. */
class KnownLinksTest {
    private static final double FAST = 5;
    private static final double SLOW = 800;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final KnownLinks links = new KnownLinks(now::get);

    @Test
    void lastOneOfTheKindCounts() {
        assertFalse(links.isFast(List.of("a")));
        links.seen(List.of("a"), FAST);
        assertTrue(links.isFast(List.of("a")));
        assertFalse(links.isFast(List.of("b")));
        links.seen(List.of("a"), SLOW);
        assertFalse(links.isFast(List.of("a")));
    }

    @Test
    void closestKindCounts() {
        links.seen(List.of("labels 1", "job"), FAST);
        assertTrue(links.isFast(List.of("labels 2", "job")), "a made-up label");
        links.seen(List.of("labels 2"), SLOW);
        assertFalse(links.isFast(List.of("labels 2", "job")));
    }

    @Test
    void isForgottenAfterADay() {
        links.seen(List.of("a"), FAST);
        now.addAndGet(TimeUnit.DAYS.toNanos(1));
        assertTrue(links.isFast(List.of("a")));
        now.incrementAndGet();
        assertFalse(links.isFast(List.of("a")));
    }

    @Test
    void isBounded() {
        for (int i = 0; i < KnownLinks.MOST; i++) {
            links.seen(List.of("kind " + i), FAST);
        }
        links.seen(List.of("kind 0"), FAST);
        links.seen(List.of("one more"), FAST);
        assertTrue(links.isFast(List.of("kind 0")), "seen lately");
        assertFalse(links.isFast(List.of("kind 1")));
        assertTrue(links.isFast(List.of("kind 2")));
    }

    @Test
    void podOfTheSameTemplateOrJobIsTheSameKind() {
        links.seen(KnownLinks.ofCloud("Pod", "maven", "job"), FAST);
        assertTrue(links.isFast(KnownLinks.ofCloud("Pod", "maven", "other job")));
        assertTrue(links.isFast(KnownLinks.ofCloud("Pod", "job_2-x7f", "job")), "a label made up for this build");
        assertFalse(links.isFast(KnownLinks.ofCloud("Pod", "gradle", "third job")));
        assertFalse(links.isFast(KnownLinks.ofCloud("Machine", "maven", "job")));
        assertEquals(List.of(), KnownLinks.kinds(null, "job"), "has just gone");
    }
}
