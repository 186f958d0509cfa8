package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Computer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the next agent of a kind begins with. */
class AgentKindTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final AgentKind.Memory kinds = new AgentKind.Memory(now::get);

    /** Another agent each time. */
    private AgentKind pod(String labels, String job) {
        return AgentKind.ofCloud(kinds, "Pod", labels, job);
    }

    private AgentKind pod() {
        return pod("maven", "job");
    }

    private void minutesPass(int minutes) {
        now.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void podOfTheSameTemplateOrJobIsTheSameKind() {
        pod().sawUplink(1000);
        assertEquals(1000, pod("maven", "other job").uplinkNanosPerByte());
        assertEquals(1000, pod("maven", null).uplinkNanosPerByte(), "no job is asked about");
        assertEquals(1000, pod("job_2-x7f", "job").uplinkNanosPerByte(), "a label made up for this build");
        assertEquals(Double.NaN, pod("gradle", "third job").uplinkNanosPerByte());
        assertEquals(
                Double.NaN, AgentKind.ofCloud(kinds, "Machine", "maven", "job").uplinkNanosPerByte());
        assertEquals(List.of(), AgentKind.of((Computer) null, "job").names(), "has just gone");
    }

    /** The whole time of a transfer is more than its lanes took, and counts for other questions. */
    @Test
    void whatLanesTookIsAFactOfItsOwn() {
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
        pod().sawUplink(500);
        pod().sawLanes(80);
        assertEquals(80, pod("maven", "other job").lanesNanosPerByte());
        assertEquals(500, pod().uplinkNanosPerByte());
        minutesPass(24 * 60 + 1);
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
    }

    @Test
    void closestKindCounts() {
        pod("maven", "job").sawUplink(1000);
        pod("gradle", "other job").sawUplink(2000);
        assertEquals(2000, pod("gradle", "job").uplinkNanosPerByte());
    }

    @Test
    void oldestFactsMakeRoom() {
        for (int i = 0; i <= AgentKind.Memory.MOST; i++) {
            new AgentKind(kinds, List.of("kind " + i)).sawUplink(i);
        }
        assertEquals(Double.NaN, new AgentKind(kinds, List.of("kind 0")).uplinkNanosPerByte());
        assertEquals(1, new AgentKind(kinds, List.of("kind 1")).uplinkNanosPerByte());
    }

    @Test
    void factsCountForADay() {
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
        pod().sawUplink(480);
        minutesPass(24 * 60);
        assertEquals(480, pod().uplinkNanosPerByte());
        minutesPass(1);
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
    }
}
