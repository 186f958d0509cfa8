package io.jenkins.plugins.compressionaware.engine.store;

import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A request that the controller has signed: its URL, and the headers that the signature covers. Not a record, because deserializing records is slow. */
@Restricted(NoExternalUse.class)
public final class SignedRequest implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String url;
    private final String[] headers;

    /**
     * @param url     with the signature in its query
     * @param headers names and values in turn, without {@code Host} and {@code Content-Length}
     */
    public SignedRequest(String url, String... headers) {
        this.url = url;
        this.headers = headers;
    }

    /** Returns the URL, which gives access to the object. */
    public String url() {
        return url;
    }

    String[] headers() {
        return headers.clone();
    }

    /** Returns the URL without its query, because the query gives access to the object. */
    @Override
    public String toString() {
        return url.replaceFirst("\\?.*", "");
    }
}
