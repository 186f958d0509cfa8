package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the next agent of a kind begins with. */
class AgentKindTest {

    /** {@link LaneSettings#changes}. */
    private static final int NOW = 5;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // a clock may overflow
    private final AgentKind.Memory kinds = new AgentKind.Memory(now::get);
    private final AgentKind stays = new AgentKind(kinds, List.of("name"), true);

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
        pod().sawBodyLimit(1000);
        assertEquals(1000, pod("maven", "other job").bodyLimit());
        assertEquals(1000, pod("maven", null).bodyLimit(), "no job is asked about");
        assertEquals(1000, pod("job_2-x7f", "job").bodyLimit(), "a label made up for this build");
        assertEquals(DirectOffer.MAX_BODY, pod("gradle", "third job").bodyLimit());
        assertEquals(
                DirectOffer.MAX_BODY,
                AgentKind.ofCloud(kinds, "Machine", "maven", "job").bodyLimit());
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
        pod("maven", "job").sawBodyLimit(1000);
        pod("gradle", "other job").sawBodyLimit(2000);
        assertEquals(2000, pod("gradle", "job").bodyLimit());
    }

    @Test
    void lostLaneCountsForTenMinutes() {
        assertFalse(pod().laneIsLost(NOW));
        pod().sawLane(true, NOW);
        minutesPass(10);
        assertTrue(pod().laneIsLost(NOW));
        minutesPass(1);
        assertFalse(pod().laneIsLost(NOW));
    }

    @Test
    void lostLaneIsTriedAgainWhenTheSettingsHaveChanged() {
        pod().sawLane(true, NOW);
        assertFalse(pod().laneIsLost(NOW + 1));
        pod().sawLane(true, NOW);
        assertFalse(pod().laneIsLost(NOW + 1), "one that began before");
    }

    @Test
    void laneOfTheLastOneCounts() {
        pod().sawLane(true, NOW);
        pod().sawLane(false, NOW);
        assertFalse(pod().laneIsLost(NOW));
        pod("gradle", "job").sawLane(true, NOW);
        assertFalse(pod("maven", "job").laneIsLost(NOW), "its own template's answers");
    }

    @Test
    void whatStaysIsTriedWheneverItConnects() {
        stays.sawLane(true, NOW);
        assertFalse(stays.laneIsLost(NOW));
        stays.sawBodyLimit(1000);
        assertEquals(1000, stays.bodyLimit());
    }

    @Test
    void oldestFactsMakeRoom() {
        for (int i = 0; i <= AgentKind.Memory.MOST; i++) {
            new AgentKind(kinds, List.of("kind " + i), true).sawBodyLimit(i);
        }
        assertEquals(DirectOffer.MAX_BODY, new AgentKind(kinds, List.of("kind 0"), true).bodyLimit());
        assertEquals(1, new AgentKind(kinds, List.of("kind 1"), true).bodyLimit());
    }

    @Test
    void refusedSizeCountsForADay() {
        assertEquals(DirectOffer.MAX_BODY, pod().bodyLimit());
        pod().sawBodyLimit(480 * 1024);
        minutesPass(24 * 60);
        assertEquals(480 * 1024, pod().bodyLimit());
        minutesPass(1);
        assertEquals(DirectOffer.MAX_BODY, pod().bodyLimit());
    }
}
