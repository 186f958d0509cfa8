package io.jenkins.plugins.compressionaware.engine.lane;

import java.io.Serializable;
import java.util.ArrayList;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The controller's offer for one transfer: direct lanes, which are requests over HTTP, beside the streams.
 *
 * @param urls        addresses for the requests, http or https, in the order in which to try them
 * @param secret      see {@link LaneKeys}
 * @param plain       whether bodies are sent unencrypted to an http address, because the administrator trusts the network
 * @param connections requests at a time, at least 1; the answer to the first may allow fewer
 * @param required    whether the transfer fails where it would otherwise fall back to the streams
 * @param bodyLimit   initial limit for a body with several frames, bytes, up to {@link #MAX_BODY}: as far as bodies have passed before
 * @param limits      how long to wait for answers
 */
@Restricted(NoExternalUse.class)
public record DirectLaneOffer(
        ArrayList<String> urls,
        String secret,
        boolean plain,
        int connections,
        boolean required,
        int bodyLimit,
        Limits limits)
        implements Serializable {
    /** Request header with the name of the transfer, and the number and the tag of the request; see {@link LaneKeys}. */
    public static final String REQUEST_HEADER = "Artifact-Transfer-Request";

    /** Response header with the number and the tag of the answer, which prove that the controller has sent it. */
    public static final String ANSWER_HEADER = "Artifact-Transfer-Answer";

    /** Response header with the number of requests that may run at a time, 0 if none may. It answers a request without frames. */
    public static final String CONNECTIONS_HEADER = "Artifact-Transfer-Connections";

    /** Status of the response to a probe, or to a request that brings frames: No Content. */
    public static final int TAKEN_STATUS = 204;

    /**
     * Most bytes of a body with several frames. By default, nginx refuses bodies above 1 MiB and buffers them whole.
     */
    public static final int MAX_BODY = 960 * 1024;

    /**
     * Limits of time, milliseconds.
     *
     * @param probeMillis   limit for the probes of all addresses together, if direct lanes are not required
     * @param requestMillis limit for any other request
     */
    public record Limits(long probeMillis, long requestMillis) {
        /**
         * A transfer that lasts no longer than such a probe would hardly gain from it; a request may take as long as a full collection of the
         * heap at the other end.
         */
        public static final Limits USUAL = new Limits(900, 10_000);
    }

    /** See {@link SerializedForm}. */
    private Object writeReplace() {
        return new SerializedForm(this);
    }

    /** The form that travels: reading a record from a stream takes a fresh JVM some 10 ms. */
    private static final class SerializedForm implements Serializable {
        private static final long serialVersionUID = 1L;

        private final ArrayList<String> urls;
        private final String secret;
        private final boolean plain;
        private final int connections;
        private final boolean required;
        private final int bodyLimit;
        private final long probeMillis;
        private final long requestMillis;

        SerializedForm(DirectLaneOffer offer) {
            urls = offer.urls;
            secret = offer.secret;
            plain = offer.plain;
            connections = offer.connections;
            required = offer.required;
            bodyLimit = offer.bodyLimit;
            probeMillis = offer.limits.probeMillis;
            requestMillis = offer.limits.requestMillis;
        }

        private Object readResolve() {
            Limits limits = new Limits(probeMillis, requestMillis);
            return new DirectLaneOffer(urls, secret, plain, connections, required, bodyLimit, limits);
        }
    }

    @Override
    public String toString() {
        // without the secret
        return urls + ", " + connections + " connections";
    }
}
