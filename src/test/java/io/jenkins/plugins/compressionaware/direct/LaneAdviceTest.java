package io.jenkins.plugins.compressionaware.direct;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a direct lane, in the words of the agent, tells what to change. */
class LaneAdviceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            http://j/: the answer is HTTP 413 | client_max_body_size
            http://j/: the answer is HTTP 302 | leads to another one
            http://j/: the answer is HTTP 308 | leads to another one
            http://j/: the answer is HTTP 401 | asks for a login
            http://j/: the answer is HTTP 403 | asks for a login
            http://j/: the answer is HTTP 404 | let POST and GET to artifact-transfer-lane/
            http://j/: the answer is HTTP 502 | let POST and GET to artifact-transfer-lane/
            http://j/: something else answers there | path that the proxy passes on
            http://j/: unknown host j | cannot resolve
            http://j/: no answer within 900 ms | firewall
            http://j/: Connection refused | does not reach
            https://j/: PKIX path building failed: unable to find valid certification path to requested target | trust
            https://j/: No subject alternative DNS name matching j found. | trust
            """)
    void whatToChange(String trouble, String advice) {
        assertThat(LaneAdvice.of(trouble, null), containsString(advice));
    }

    @Test
    void eachAddressHasItsAdvice() {
        assertThat(
                LaneAdvice.of("http://a/: Connection refused; https://b/: unknown host b", null),
                allOf(containsString("does not reach"), containsString("cannot resolve")));
    }

    @Test
    void anAddressThatWasNotTried() {
        assertThat(
                LaneAdvice.of("https://b/: unknown host b", "http://jenkins:8080/"),
                allOf(containsString("cannot resolve"), containsString("http://jenkins:8080/, which was not tried")));
        assertThat(LaneAdvice.of(null, "http://jenkins:8080/"), containsString("unencrypted"));
    }

    @Test
    void nothingIsAdvisedWhereNothingIsKnown() {
        assertNull(LaneAdvice.of(null, null));
        assertNull(LaneAdvice.of("http://j/: Connection reset", null));
    }
}
