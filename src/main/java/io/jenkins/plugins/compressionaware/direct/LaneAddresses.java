package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The addresses to which an agent's requests may go. A token travels without encryption only if the agent's channel does, to the same address, or
 * if the administrator has decided so, by an http root URL or by the setting.
 *
 * @param offered  addresses of this Jenkins, the first to be tried first: the agent's own, since it is connected there, and the root URL
 * @param withheld the agent's own address, if its channel may be better protected than requests there; else null
 */
record LaneAddresses(List<String> offered, @CheckForNull String withheld) {
    private static final String HTTP = "http";
    private static final String HTTPS = "https";

    /** Most characters of an address that an agent may claim. */
    private static final int MAX_LENGTH = 1000;

    /**
     * @param mode      {@link TransferSettings#directLane}
     * @param root      the root URL; null if none is configured
     * @param own       the address of this Jenkins that the agent claims to use; null if it has none
     * @param webSocket address at which the channel came in without encryption, as seen by {@link PlainWebSocket}; null if it did not
     */
    static LaneAddresses of(
            String mode, @CheckForNull String root, @CheckForNull String own, @CheckForNull String webSocket) {
        String claimed = own == null ? null : usual(own);
        boolean decided = mode.equals(TransferSettings.UNENCRYPTED) || root != null && isPlain(root);
        boolean safe = claimed != null && (!isPlain(claimed) || claimed.equals(webSocket) || decided);
        List<String> offered = new ArrayList<>();
        if (safe) {
            offered.add(claimed);
        }
        if (root != null && !(safe && claimed.equals(usual(root)))) {
            offered.add(root.endsWith("/") ? root : root + '/');
        }
        return new LaneAddresses(offered, safe ? null : claimed);
    }

    private static boolean isPlain(String url) {
        return url.regionMatches(true, 0, HTTP + ':', 0, HTTP.length() + 1);
    }

    /**
     * An address in its usual spelling, for comparison: scheme and host in lower case, no default port, a slash at the end.
     *
     * @return null if it is neither http nor https, is too long, or has more than a host, a port and a path
     */
    @CheckForNull
    static String usual(String address) {
        URL url;
        try {
            url = new URI(address).toURL();
        } catch (URISyntaxException | MalformedURLException | IllegalArgumentException e) {
            return null;
        }
        String scheme = url.getProtocol().toLowerCase(Locale.ROOT);
        if (!scheme.equals(HTTP) && !scheme.equals(HTTPS)
                || address.length() > MAX_LENGTH
                || url.getHost().isEmpty()
                || url.getUserInfo() != null
                || url.getQuery() != null
                || url.getRef() != null) {
            return null;
        }
        String port = url.getPort() < 0 || url.getPort() == url.getDefaultPort() ? "" : ":" + url.getPort();
        String path = url.getPath();
        return scheme + "://" + url.getHost().toLowerCase(Locale.ROOT) + port + path + (path.endsWith("/") ? "" : "/");
    }
}
