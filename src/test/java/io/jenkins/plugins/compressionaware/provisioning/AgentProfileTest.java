package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.FilePath;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile.Property;
import java.io.File;
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
        pod().put(Property.UPLINK, 1000);
        assertEquals(1000, pod("maven", "other job").find(Property.UPLINK));
        assertEquals(1000, pod("maven", null).find(Property.UPLINK), "without a job");
        assertEquals(1000, pod("job_2-x7f", "job").find(Property.UPLINK), "a label generated for this build");
        assertEquals(Double.NaN, pod("gradle", "third job").find(Property.UPLINK));
        assertEquals(
                Double.NaN,
                AgentProfile.ofCloud(store, "Machine", "maven", "job").find(Property.UPLINK));
        assertEquals(
                List.of(), AgentProfile.of(new FilePath(new File("")), "job").names(), "just disconnected");
    }

    /** A transfer takes longer than its lanes write, so the two times are separate values. */
    @Test
    void laneTimeIsSeparateFromTransferTime() {
        assertEquals(Double.NaN, pod().find(Property.WRITE_COST));
        pod().put(Property.UPLINK, 500);
        pod().put(Property.WRITE_COST, 80);
        assertEquals(80, pod("maven", "other job").find(Property.WRITE_COST));
        assertEquals(500, pod().find(Property.UPLINK));
        minutesPass(24 * 60 + 1);
        assertEquals(Double.NaN, pod().find(Property.WRITE_COST));
    }

    /** An agent reports its times, and the next agents get them. */
    @Test
    void impossibleValuesAreDropped() {
        pod().put(Property.WRITE_COST, 80);
        for (double value : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, 1e9}) {
            pod().put(Property.WRITE_COST, value);
            assertEquals(80, pod().find(Property.WRITE_COST));
        }
        pod().put(Property.WRITE_COST, 0);
        assertEquals(0.1, pod().find(Property.WRITE_COST), "the fastest link");
    }

    @Test
    void mostSpecificNameCounts() {
        pod("maven", "job").put(Property.UPLINK, 1000);
        pod("gradle", "other job").put(Property.UPLINK, 2000);
        assertEquals(2000, pod("gradle", "job").find(Property.UPLINK));
    }

    @Test
    void oldestValuesAreDiscarded() {
        for (int i = 0; i <= AgentProfile.Store.MAX_ENTRIES; i++) {
            new AgentProfile(store, List.of("name " + i)).put(Property.UPLINK, i);
        }
        assertEquals(Double.NaN, new AgentProfile(store, List.of("name 0")).find(Property.UPLINK));
        assertEquals(1, new AgentProfile(store, List.of("name 1")).find(Property.UPLINK));
    }

    @Test
    void valuesExpireAfterOneDay() {
        assertEquals(Double.NaN, pod().find(Property.UPLINK));
        pod().put(Property.UPLINK, 480);
        minutesPass(24 * 60);
        assertEquals(480, pod().find(Property.UPLINK));
        minutesPass(1);
        assertEquals(Double.NaN, pod().find(Property.UPLINK));
    }
}
