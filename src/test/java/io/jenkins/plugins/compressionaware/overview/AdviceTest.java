package io.jenkins.plugins.compressionaware.overview;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.agent.LaneState;
import io.jenkins.plugins.compressionaware.report.Transfer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdviceTest {
    private static final long MUCH = Repeats.LARGE;

    private final Repeats repeats = new Repeats();

    private void archive(String job, int build, long digest, long bytes) {
        repeats.add(new Transfer(Transfer.Kind.ARCHIVE, job, build, "a", null, 1, null), digest, bytes);
    }

    @Test
    void theSameBytesInEachBuildRepeat() {
        for (int build = 1; build <= Repeats.ENOUGH; build++) {
            assertEquals(Map.of(), repeats.jobs());
            archive("same", build, 7, MUCH);
            archive("same", build, 100 + build, MUCH);
            archive("different", build, build, MUCH);
            archive("small", build, 7, MUCH - 1);
            archive("unknown", build, 0, MUCH);
        }
        assertEquals(Map.of("same", MUCH), repeats.jobs());
        archive("same", 10, 8, MUCH);
        assertEquals(Map.of(), repeats.jobs(), "the newest build has archived something else");
    }

    @Test
    void severalArchivesOfOneBuildAreNoRepetition() {
        for (int i = 0; i < 2 * Repeats.ENOUGH; i++) {
            archive("job", 1, 7, MUCH);
        }
        assertEquals(Map.of(), repeats.jobs());
    }

    @Test
    void whatIsRememberedIsBounded() {
        for (int build = 1; build <= Repeats.ENOUGH; build++) {
            for (int i = 0; i < 10_000; i++) {
                archive("job" + i, build, i + 1, MUCH);
            }
        }
        assertEquals(Map.of(), repeats.jobs(), "jobs that were pushed out begin anew");
    }

    @Test
    void aLongWayCapsAnAgent() {
        assertThat(capped(100, 8, 8), containsString("Agent far is 100 ms away: 8 streams carry about 83.9 MB/s"));
        assertThat(capped(100, 8, 2), containsString("2 streams that the settings allow carry about 21.0 MB/s"));
        assertThat(capped(100, 8, 2), containsString("Allow 8 lanes"));
        assertThat(capped(100, 8, 1), containsString("the one stream that the settings allow"));
        assertEquals("", capped(40, 8, 8));
        assertEquals("", capped(0, 1, 8));
    }

    private static String capped(int millis, int streams, int lanes) {
        LaneState state = new LaneState(LaneState.Kind.FAR, null, null, TimeUnit.MILLISECONDS.toNanos(millis), streams);
        return Advice.capped("far", state, lanes);
    }
}
