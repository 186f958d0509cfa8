package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the controller makes of the request that became a WebSocket. */
class PlainWebSocketTest {
    private static HttpServletRequest request(
            boolean secure, String host, int port, String context, String header, String value) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isSecure" -> secure;
                    case "getServerName" -> host;
                    case "getServerPort" -> port;
                    case "getContextPath" -> context;
                    case "getHeaders" ->
                        Collections.enumeration(
                                ((String) arguments[0]).equalsIgnoreCase(header) ? List.of(value) : List.of());
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @ParameterizedTest
    @CsvSource({
        "jenkins, 8080, '', http://jenkins:8080/",
        "Jenkins, 80, /ci, http://jenkins/ci/",
        "::1, 8080, '', http://[::1]:8080/",
        "[::1], 8080, '', http://[::1]:8080/"
    })
    void whereItHasComeIn(String host, int port, String context, String address) {
        assertEquals(address, PlainWebSocket.address(request(false, host, port, context, "", "")));
        assertEquals(address, PlainWebSocket.address(request(false, host, port, context, "X-Forwarded-Proto", "http")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            X-Forwarded-Proto | https
            X-Forwarded-Proto | HTTPS, http
            X-Forwarded-Proto | http,https
            X-Forwarded-Proto | wss
            Forwarded | for=192.0.2.1;proto=https;by=203.0.113.43
            X-Forwarded-Ssl | on
            Front-End-Https | On
            """)
    void tlsOnItsWay(String header, String value) {
        assertNull(PlainWebSocket.address(request(false, "jenkins", 8080, "", header, value)));
    }

    @Test
    void tlsToTheController() {
        assertNull(PlainWebSocket.address(request(true, "jenkins", 8443, "", "", "")));
    }

    @Test
    void aHostThatIsNone() {
        assertNull(PlainWebSocket.address(request(false, "a b", 8080, "", "", "")));
    }
}
