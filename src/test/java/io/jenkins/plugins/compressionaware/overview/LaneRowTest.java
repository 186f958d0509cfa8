package io.jenkins.plugins.compressionaware.overview;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a direct lane, in the words of the sender, tells what to change. */
class LaneRowTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            http://j/: the answer is HTTP 413 | client_max_body_size
            http://j/: the answer is HTTP 403 | let POST to artifact-transfer-lane/
            http://j/: something else answers there | path that the proxy passes on
            http://j/: unknown host j | cannot resolve
            http://j/: no answer within 900 ms | firewall
            """)
    void whatToChange(String trouble, String remedy) {
        assertThat(LaneRow.remedy(trouble), containsString(remedy));
    }

    @Test
    void nothingIsAdvisedWhereNothingIsKnown() {
        assertNull(LaneRow.remedy(null));
        assertNull(LaneRow.remedy("http://j/: Connection reset"));
    }
}
