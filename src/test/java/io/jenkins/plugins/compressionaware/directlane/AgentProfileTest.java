package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Computer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Values that a new agent gets from earlier agents of its template. */
class AgentProfileTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final AgentProfile.Store store = new AgentProfile.Store(now::get);

    /** Returns the profile of a new agent. */
    private AgentProfile pod(String labels, String job) {
        return AgentProfile.ofCloud(store, "Pod", labels, job);
    }

    private AgentProfile pod() {
        return pod("maven", "job");
    }

    private void minutesPass(int minutes) {
        now.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void podsOfSameTemplateOrJobShareValues() {
        pod().recordUplink(1000);
        assertEquals(1000, pod("maven", "other job").uplinkNanosPerByte());
        assertEquals(1000, pod("maven", null).uplinkNanosPerByte(), "without a job");
        assertEquals(1000, pod("job_2-x7f", "job").uplinkNanosPerByte(), "a label generated for this build");
        assertEquals(Double.NaN, pod("gradle", "third job").uplinkNanosPerByte());
        assertEquals(
                Double.NaN,
                AgentProfile.ofCloud(store, "Machine", "maven", "job").uplinkNanosPerByte());
        assertEquals(List.of(), AgentProfile.of((Computer) null, "job").names(), "just disconnected");
    }

    /** A transfer takes longer than its lanes write, so the two times are separate values. */
    @Test
    void laneTimeIsSeparateFromTransferTime() {
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
        pod().recordUplink(500);
        pod().recordLanes(80);
        assertEquals(80, pod("maven", "other job").lanesNanosPerByte());
        assertEquals(500, pod().uplinkNanosPerByte());
        minutesPass(24 * 60 + 1);
        assertEquals(Double.NaN, pod().lanesNanosPerByte());
    }

    @Test
    void mostSpecificNameCounts() {
        pod("maven", "job").recordUplink(1000);
        pod("gradle", "other job").recordUplink(2000);
        assertEquals(2000, pod("gradle", "job").uplinkNanosPerByte());
    }

    @Test
    void oldestValuesAreDiscarded() {
        for (int i = 0; i <= AgentProfile.Store.MAX_ENTRIES; i++) {
            new AgentProfile(store, List.of("name " + i)).recordUplink(i);
        }
        assertEquals(Double.NaN, new AgentProfile(store, List.of("name 0")).uplinkNanosPerByte());
        assertEquals(1, new AgentProfile(store, List.of("name 1")).uplinkNanosPerByte());
    }

    @Test
    void valuesExpireAfterOneDay() {
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
        pod().recordUplink(480);
        minutesPass(24 * 60);
        assertEquals(480, pod().uplinkNanosPerByte());
        minutesPass(1);
        assertEquals(Double.NaN, pod().uplinkNanosPerByte());
    }
}
