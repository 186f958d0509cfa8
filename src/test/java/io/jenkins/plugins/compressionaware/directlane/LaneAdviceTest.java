package io.jenkins.plugins.compressionaware.directlane;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Advice for the causes of direct lane failures. */
class LaneAdviceTest {
    @ParameterizedTest
    @EnumSource
    void knownCausesHaveAdvice(LaneFailure cause) {
        assertEquals(cause == LaneFailure.OTHER, LaneAdvice.of(EnumSet.of(cause)) == null);
    }

    @Test
    void adviceForSeveralCausesIsJoined() {
        assertThat(
                LaneAdvice.of(EnumSet.of(LaneFailure.UNREACHABLE, LaneFailure.UNKNOWN_HOST)),
                allOf(containsString("does not reach"), containsString("cannot resolve")));
    }

    @Test
    void emptyCausesHaveNoAdvice() {
        assertNull(LaneAdvice.of(Set.of()));
    }
}
