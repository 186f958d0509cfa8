package io.jenkins.plugins.compressionaware.transfer;

import java.io.Serializable;
import java.util.ArrayList;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The receiver's offer for one transfer: requests over HTTP, beside the lanes.
 *
 * @param urls        where the requests may go, the first to be tried first; http or https
 * @param token       secret that each request shows in the header {@link #TOKEN_HEADER}
 * @param connections requests at a time, at least 1; the answer to the first may allow fewer
 * @param required    whether the transfer fails where it would otherwise fall back to the lanes
 * @param bodyLimit   bytes of a body with several frames to begin with, up to {@link #MAX_BODY}: what something on the way was seen to take
 * @param limits      how long to wait for answers
 */
@Restricted(NoExternalUse.class)
public record DirectOffer(
        ArrayList<String> urls, String token, int connections, boolean required, int bodyLimit, Limits limits)
        implements Serializable {
    /** Request header with the token. */
    public static final String TOKEN_HEADER = "Artifact-Transfer-Token";

    /** Response header with the number of bytes that were taken: no proxy's own answer can be mistaken for a receipt. */
    public static final String TAKEN_HEADER = "Artifact-Transfer-Taken";

    /** Response header with the number of requests that may run at a time; 0 if none may. In the answer to a request without frames. */
    public static final String CONNECTIONS_HEADER = "Artifact-Transfer-Connections";

    /** Status of a response that has one of them: No Content. */
    public static final int TAKEN_STATUS = 204;

    /**
     * Bytes of a body with several frames, at most. nginx refuses bodies above 1 MiB unless it is told otherwise, and buffers them whole.
     */
    public static final int MAX_BODY = 960 * 1024;

    /**
     * Times to wait, milliseconds.
     *
     * @param probeMillis   for the probes of all addresses together, where the lane is not required
     * @param requestMillis for any other request
     */
    public record Limits(long probeMillis, long requestMillis) {
        /**
         * A transfer that lasts no longer than this probe would hardly gain from it; a request may take as long as a full collection of the
         * heap at the other end.
         */
        public static final Limits USUAL = new Limits(900, 10_000);
    }

    /** See {@link Form}. */
    private Object writeReplace() {
        return new Form(this);
    }

    /** The form that travels: to read a record from a stream takes a fresh JVM some 10 ms. */
    private static final class Form implements Serializable {
        private static final long serialVersionUID = 1L;

        private final ArrayList<String> urls;
        private final String token;
        private final int connections;
        private final boolean required;
        private final int bodyLimit;
        private final long probeMillis;
        private final long requestMillis;

        Form(DirectOffer offer) {
            urls = offer.urls;
            token = offer.token;
            connections = offer.connections;
            required = offer.required;
            bodyLimit = offer.bodyLimit;
            probeMillis = offer.limits.probeMillis;
            requestMillis = offer.limits.requestMillis;
        }

        private Object readResolve() {
            Limits limits = new Limits(probeMillis, requestMillis);
            return new DirectOffer(urls, token, connections, required, bodyLimit, limits);
        }
    }

    @Override
    public String toString() {
        // without the token
        return urls + ", " + connections + " connections";
    }
}
