package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent is offered the address at which it is connected, and the root URL. */
class LaneAddressesTest {
    private static final String ROOT = "https://ci.example.com/";
    private static final String OWN = "http://jenkins:8080/";

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # root URL,              own address,            offered
            https://ci.example.com/, http://jenkins:8080/,   http://jenkins:8080/ https://ci.example.com/
            https://ci.example.com/, http://Jenkins:80/ci,   http://jenkins/ci/ https://ci.example.com/
            https://ci.example.com,  http://[::1]:8080,      http://[::1]:8080/ https://ci.example.com/
            https://ci.example.com/, https://ci.example.com, https://ci.example.com/
            https://ci.example.com/, -,                      https://ci.example.com/
            HTTPS://ci.example.com/, -,                      https://ci.example.com/
            http://ci.example.com/,  http://jenkins:8080/,   http://jenkins:8080/ http://ci.example.com/
            -,                       http://jenkins:8080/,   http://jenkins:8080/
            -,                       -,                      ''
            """)
    void ownAddressIsOfferedBeforeRootUrl(String root, String own, String offered) {
        assertEquals(offered, String.join(" ", LaneAddresses.of(root, own)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "jenkins",
                "file:///etc/passwd",
                "jar:http://jenkins/a.jar!/",
                "ftp://jenkins/",
                "http:///",
                "http://user:secret@jenkins/",
                "http://jenkins/?x",
                "http://jenkins/#x",
                "http://jenkins/a b",
                "http://jenkins/\n",
                "mailto:a@b"
            })
    void invalidAgentAddressIsDropped(String own) {
        assertNull(LaneAddresses.normalize(own));
        assertEquals(List.of(ROOT), LaneAddresses.of(ROOT, own));
    }

    @Test
    void hostNameWithUnderscoreIsAccepted() {
        assertEquals("http://jenkins_ci:8080/", LaneAddresses.normalize("http://jenkins_ci:8080"));
    }
}
