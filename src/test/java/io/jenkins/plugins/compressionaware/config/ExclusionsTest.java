package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExclusionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            legacy/**                  | legacy/job           | true
            legacy/**                  | legacy/deep/down/job | true
            legacy/**                  | legacyjob            | false
            legacy/**                  | other/legacy/job     | false
            **/legacy/**               | other/legacy/job     | true
            job                        | job                  | true
            job                        | folder/job           | false
            tools/nightly-*            | tools/nightly-1      | true
            tools/nightly-*            | tools/nightly-1/deep | false
            'a/*, legacy/**,,b'        | b                    | true
            'a/*, legacy/**,,b'        | a/x                  | true
            'a/*, legacy/**,,b'        | c                    | false
            release/My Job             | release/My Job       | true
            release/My Job             | release/My           | false
            release/My Job             | Job                  | false
            'a, release/My Job ,b'     | release/My Job       | true
            ''                         | job                  | false
            """)
    void patternsMatchFullNames(String jobs, String fullName, boolean expected) {
        assertEquals(expected, new Exclusions("", jobs).excludesJob(fullName));
    }

    @Test
    void severalLinesAreSeveralPatterns() {
        Exclusions aside = new Exclusions("", "a/*\r\nb/*\n");
        assertTrue(aside.excludesJob("a/x"));
        assertTrue(aside.excludesJob("b/x"));
    }
}
