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
        app/release/*              | app/release%2F1.0    | true
        app/release/*              | app/feature%2F1.0    | false
        app/release%2F*            | app/release%2F1.0    | true
        app/*                      | app/release%2F1.0    | true
        app/feature/**             | app/feature%2Fa%2Fb  | true
        a+b                        | a+b                  | true
        100%                       | 100%                 | true
        """)
    void patternsMatchFullNames(String jobs, String fullName, boolean expected) {
        assertEquals(expected, new Exclusions("", jobs).excludesJob(fullName));
    }

    @ParameterizedTest
    @CsvSource({"/release/**, false", "'a, /b', false", "a\\b, false", "release/**, true", "'', true"})
    void patternsThatMatchNothingAreWrong(String jobs, boolean expected) {
        assertEquals(expected, Exclusions.areJobs(jobs));
    }

    @Test
    void severalLinesAreSeveralPatterns() {
        Exclusions aside = new Exclusions("", "a/*\r\nb/*\n");
        assertTrue(aside.excludesJob("a/x"));
        assertTrue(aside.excludesJob("b/x"));
    }
}
