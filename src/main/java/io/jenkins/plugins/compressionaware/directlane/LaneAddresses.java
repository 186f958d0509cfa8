package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** Determines the addresses of this Jenkins that are offered to an agent for direct lanes. */
final class LaneAddresses {
    private LaneAddresses() {}

    /**
     * Returns the address at which the agent is connected and then the root URL, both normalized.
     *
     * @param root root URL; null if none is configured
     * @param own address of this Jenkins that the agent reports; null if it has none
     */
    static List<String> of(@CheckForNull String root, @CheckForNull String own) {
        return Stream.of(own, root)
                .filter(Objects::nonNull)
                .map(LaneAddresses::normalize)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    /**
     * Normalizes an address: scheme and host in lower case, no default port, a slash at the end.
     *
     * @return null if the address is neither http nor https, or contains more than a host, a port and a path
     */
    @CheckForNull
    static String normalize(String address) {
        URL url;
        try {
            url = new URI(address).toURL();
        } catch (URISyntaxException | MalformedURLException | IllegalArgumentException e) {
            return null;
        }
        String scheme = url.getProtocol().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")
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
