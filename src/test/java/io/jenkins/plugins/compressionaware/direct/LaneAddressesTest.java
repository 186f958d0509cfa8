package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A token goes without encryption only where the channel does, or where the administrator has decided so. */
class LaneAddressesTest {
    private static final String ROOT = "https://ci.example.com/";
    private static final String OWN = "http://jenkins:8080/";

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # mode,      root URL,                own address,            WebSocket seen at,     offered,                                     withheld
            automatic,   https://ci.example.com/, http://jenkins:8080/,   http://jenkins:8080/,  http://jenkins:8080/ https://ci.example.com/, -
            required,    https://ci.example.com/, http://jenkins:8080/,   http://jenkins:8080/,  http://jenkins:8080/ https://ci.example.com/, -
            automatic,   https://ci.example.com/, http://jenkins:8080,    http://jenkins:8080/,  http://jenkins:8080/ https://ci.example.com/, -
            automatic,   https://ci.example.com/, http://Jenkins:80/ci,   http://jenkins/ci/,    http://jenkins/ci/ https://ci.example.com/,   -
            automatic,   https://ci.example.com/, http://[::1]:8080/,     http://[::1]:8080/,    http://[::1]:8080/ https://ci.example.com/,   -
            automatic,   https://ci.example.com/, http://jenkins:8080/,   -,                     https://ci.example.com/,                      http://jenkins:8080/
            required,    https://ci.example.com/, http://jenkins:8080/,   -,                     https://ci.example.com/,                      http://jenkins:8080/
            automatic,   HTTPS://ci.example.com/, http://jenkins:8080/,   -,                     HTTPS://ci.example.com/,                      http://jenkins:8080/
            automatic,   https://ci.example.com/, http://jenkins:8080/,   http://jenkins:8081/,  https://ci.example.com/,                      http://jenkins:8080/
            automatic,   https://ci.example.com/, http://elsewhere:8080/, http://jenkins:8080/,  https://ci.example.com/,                      http://elsewhere:8080/
            automatic,   https://ci.example.com/, http://jenkins:8080/ci, http://jenkins:8080/,  https://ci.example.com/,                      http://jenkins:8080/ci/
            unencrypted, https://ci.example.com/, http://jenkins:8080/,   -,                     http://jenkins:8080/ https://ci.example.com/, -
            automatic,   https://ci.example.com/, https://jenkins:8443/,  -,                     https://jenkins:8443/ https://ci.example.com/, -
            automatic,   https://ci.example.com/, https://ci.example.com, -,                     https://ci.example.com/,                      -
            automatic,   https://ci.example.com/, -,                      http://jenkins:8080/,  https://ci.example.com/,                      -
            automatic,   http://ci.example.com/,  http://jenkins:8080/,   -,                     http://jenkins:8080/ http://ci.example.com/,  -
            automatic,   -,                       http://jenkins:8080/,   -,                     '',                                           http://jenkins:8080/
            automatic,   -,                       http://jenkins:8080/,   http://jenkins:8080/,  http://jenkins:8080/,                         -
            automatic,   -,                       https://jenkins/,       -,                     https://jenkins/,                             -
            """)
    void whatIsOffered(String mode, String root, String own, String webSocket, String offered, String withheld) {
        LaneAddresses addresses = LaneAddresses.of(mode, root, own, webSocket);
        assertEquals(offered, String.join(" ", addresses.offered()));
        assertEquals(withheld, addresses.withheld());
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
    void anAgentsOwnAddressThatIsNoneIsDropped(String own) {
        assertNull(LaneAddresses.usual(own));
        assertEquals(new LaneAddresses(List.of(ROOT), null), LaneAddresses.of("unencrypted", ROOT, own, OWN));
    }

    @Test
    void anEndlessOneToo() {
        assertNull(LaneAddresses.usual(OWN + "x".repeat(1000)));
    }

    @Test
    void namesAsOnlyContainersHaveThem() {
        assertEquals("http://jenkins_ci:8080/", LaneAddresses.usual("http://jenkins_ci:8080"));
    }
}
