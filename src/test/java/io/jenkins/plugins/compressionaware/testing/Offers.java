package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Offers direct lanes to servers of a test. */
public final class Offers {
    /** A busy machine may need more than the default limit to answer a probe. */
    public static final DirectLaneOffer.Limits LONG_LIMITS = new DirectLaneOffer.Limits(20_000, 20_000);

    /** The secret of offers whose addresses have no endpoint. */
    public static final String SECRET = LaneKeys.newSecret(new SecureRandom());

    private Offers() {}

    public static DirectLaneOffer of(
            String secret, int lanes, boolean required, DirectLaneOffer.Limits limits, String... urls) {
        return new DirectLaneOffer(
                new ArrayList<>(List.of(urls)), secret, lanes, required, DirectLaneOffer.MAX_BODY, limits);
    }

    /** Returns the address of a server on this machine. */
    public static String url(int port) {
        return "http://127.0.0.1:" + port + "/";
    }
}
