package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Computer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the next agent of a kind begins with. */
class AgentProfileTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final AgentProfile.Store kinds = new AgentProfile.Store(now::get);

    /** Another agent each time. */
    private AgentProfile pod(String labels, String job) {
        return AgentProfile.ofCloud(kinds, "Pod", labels, job);
    }

    private AgentProfile pod() {
        return pod("maven", "job");
    }

    private void minutesPass(int minutes) {
        now.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void podOfTheSameTemplateOrJobIsTheSameKind() {
        pod().recordUplink(1000);
        assertEquals(1000, pod("maven", "other job").uplinkNanosPerByte());
        assertEquals(1000, pod("maven", null).uplinkNanosPerByte(), "no job is asked about");
        assertEquals(1000, pod("job_2-x7f", "job").uplinkNanosPerByte(), "a label made up for this build");
        assertEquals(Double.NaN, pod("gradle", "third job").uplinkNanosPerByte());
        assertEquals(
                Double.NaN,
                AgentProfile.ofCloud(kinds, "Machine", "maven", "job").uplinkNanosPerByte());
        assertEquals(List.of(), AgentProfile.of((Computer) null, "job").names(), "has just gone");
    }

    /** The whole time of a transfer is more than its lanes took, and counts for other questions. */
    @Test
    void whatLanesTookIsAFactOfItsOwn() {
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
        pod().recordUplink(500);
        pod().recordLanes(80);
        assertEquals(80, pod("maven", "other job").lanesNanosPerByte());
        assertEquals(500, pod().uplinkNanosPerByte());
        minutesPass(24 * 60 + 1);
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
    }

    @Test
    void closestKindCounts() {
        pod("maven", "job").recordUplink(1000);
        pod("gradle", "other job").recordUplink(2000);
        assertEquals(2000, pod("gradle", "job").uplinkNanosPerByte());
    }

    @Test
    void oldestFactsMakeRoom() {
        for (int i = 0; i <= AgentProfile.Store.MAX_ENTRIES; i++) {
            new AgentProfile(kinds, List.of("kind " + i)).recordUplink(i);
        }
        assertEquals(Double.NaN, new AgentProfile(kinds, List.of("kind 0")).uplinkNanosPerByte());
        assertEquals(1, new AgentProfile(kinds, List.of("kind 1")).uplinkNanosPerByte());
    }

    @Test
    void factsCountForADay() {
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
        pod().recordUplink(480);
        minutesPass(24 * 60);
        assertEquals(480, pod().uplinkNanosPerByte());
        minutesPass(1);
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
    }
}
