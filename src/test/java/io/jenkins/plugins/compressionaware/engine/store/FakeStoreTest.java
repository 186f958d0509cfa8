package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.SigV4;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the store of the other tests verifies signatures as a real one does. */
class FakeStoreTest {
    private static final SigV4 KEYS =
            new SigV4("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1");

    private static String sign(Map<String, String> headers) {
        return KEYS.sign(
                "GET",
                URI.create("https://examplebucket.s3.amazonaws.com/test.txt"),
                headers,
                Instant.parse("2013-05-24T00:00:00Z"),
                86_400);
    }

    /** The example in the documentation of Amazon S3. */
    @Test
    void signsTheDocumentedExample() {
        assertEquals(
                "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
                sign(Map.of()));
    }

    @Test
    void anyChangeInvalidatesSignature() {
        Map<String, String> headers = Map.of("host", "examplebucket.s3.amazonaws.com", "content-length", "7");
        TreeMap<String, String> query = SigV4.parse(URI.create(sign(headers)).getRawQuery());
        assertTrue(KEYS.verifies("GET", "/test.txt", query, headers));
        assertFalse(KEYS.verifies("PUT", "/test.txt", query, headers));
        assertFalse(KEYS.verifies("GET", "/test.tx", query, headers));
        TreeMap<String, String> longer = new TreeMap<>(headers);
        longer.put("content-length", "8");
        assertFalse(KEYS.verifies("GET", "/test.txt", query, longer));
        query.put("X-Amz-Expires", "86401");
        assertFalse(KEYS.verifies("GET", "/test.txt", query, headers));
    }
}
