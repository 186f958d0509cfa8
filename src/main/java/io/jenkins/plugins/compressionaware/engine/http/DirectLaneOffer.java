package io.jenkins.plugins.compressionaware.engine.http;

import java.io.Serializable;
import java.util.ArrayList;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The controller's offer of direct lanes, that is, HTTP requests that bypass the agent connection, for one transfer.
 *
 * @param urls        http or https addresses of the endpoint, in the order in which to try them
 * @param secret      see {@link LaneKeys}
 * @param connections maximum number of parallel requests, at least 1; the response to the probe may allow fewer
 * @param required    whether the transfer fails instead of falling back to the streams
 * @param bodyLimit   initial limit for a body with several frames, bytes, up to {@link #MAX_BODY}; lower if a proxy rejected larger bodies
 * @param limits      time limits for responses
 */
@Restricted(NoExternalUse.class)
public record DirectLaneOffer(
        ArrayList<String> urls, String secret, int connections, boolean required, int bodyLimit, Limits limits)
        implements Serializable {
    /** Request header with the public name of the transfer, and the number and the tag of the request; see {@link LaneKeys}. */
    public static final String REQUEST_HEADER = "Artifact-Transfer-Request";

    /** Response header with the number and the tag of the response, which prove that the controller sent it. */
    public static final String ANSWER_HEADER = "Artifact-Transfer-Answer";

    /** Response header with the number of requests that may run in parallel, 0 if none may. Sent only in response to a probe. */
    public static final String CONNECTIONS_HEADER = "Artifact-Transfer-Connections";

    /** Status of the response to a probe or to a request that sends frames: No Content. */
    public static final int TAKEN_STATUS = 204;

    /** Status of the response to a request that must be repeated, because as many requests as allowed have not ended: Too Many Requests. */
    public static final int BUSY_STATUS = 429;

    /** Bytes from which direct lanes save more CPU time than their probe costs. */
    private static final int MIN_BYTES = 4 << 20;

    /** Maximum bytes of a body with several frames. By default, nginx buffers whole bodies and rejects those above 1 MiB. */
    public static final int MAX_BODY = 960 * 1024;

    /**
     * Time limits, milliseconds.
     *
     * @param probeMillis   limit for the first probes of all addresses together; if one stays without an answer, the next probes have the limit of a request
     * @param requestMillis limit for any other request
     */
    public record Limits(long probeMillis, long requestMillis) {
        /** The default limits. The limit of a request leaves time for a full garbage collection at the other end, and for a busy machine. */
        public static final Limits USUAL = new Limits(2_000, 10_000);
    }

    /** Returns the number of bytes from which a transfer should open the lanes. */
    public int minBytes() {
        return required ? 0 : MIN_BYTES;
    }

    private Object writeReplace() {
        return new SerializedForm(this);
    }

    /** The serialized form of an offer. Deserializing a record instead takes a fresh JVM some 10 ms. */
    private static final class SerializedForm implements Serializable {
        private static final long serialVersionUID = 1L;

        private final ArrayList<String> urls;
        private final String secret;
        private final int connections;
        private final boolean required;
        private final int bodyLimit;
        private final long probeMillis;
        private final long requestMillis;

        SerializedForm(DirectLaneOffer offer) {
            urls = offer.urls;
            secret = offer.secret;
            connections = offer.connections;
            required = offer.required;
            bodyLimit = offer.bodyLimit;
            probeMillis = offer.limits.probeMillis;
            requestMillis = offer.limits.requestMillis;
        }

        private Object readResolve() {
            Limits limits = new Limits(probeMillis, requestMillis);
            return new DirectLaneOffer(urls, secret, connections, required, bodyLimit, limits);
        }
    }

    @Override
    public String toString() {
        // without the secret
        return urls + ", " + connections + " connections";
    }
}
