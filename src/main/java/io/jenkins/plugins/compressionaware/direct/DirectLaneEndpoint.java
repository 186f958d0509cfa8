package io.jenkins.plugins.compressionaware.direct;

import hudson.Extension;
import hudson.model.UnprotectedRootAction;
import hudson.security.csrf.CrumbExclusion;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/**
 * Takes blocks from agents, and gives them the blocks of a stash. Open to everybody, since an agent has no account here. A request without the token of a
 * transfer that runs now gets the same answer as for a page that does not exist.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class DirectLaneEndpoint implements UnprotectedRootAction {
    private static final Logger LOGGER = Logger.getLogger(DirectLaneEndpoint.class.getName());
    private static final String NAME = "artifact-transfer-lane";

    private static final String BYTES = "application/octet-stream";

    /** A single range with both ends, as our agents ask for it. */
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,18})-(\\d{1,18})");

    /** Most bytes of one answer. */
    private static final int MAX_ANSWER = 2 << 20;

    static final String PATH = NAME + "/";

    @Override
    public String getIconFileName() {
        return null;
    }

    @Override
    public String getDisplayName() {
        return null;
    }

    @Override
    public String getUrlName() {
        return NAME;
    }

    /** Gives everything but a POST or GET with a token valid for it the same answer, so the method is checked here and not by an annotation. */
    @SuppressWarnings("lgtm[jenkins/csrf]")
    public void doIndex(StaplerRequest2 request, StaplerResponse2 response) throws IOException {
        Admissions.Admission transfer = admitted(request);
        if (transfer == null) {
            refuse(response, "no such transfer");
            return;
        }
        String range = request.getHeader("Range");
        int length = request.getContentLength();
        if (transfer.fetches() ? range == null : length == 0) {
            response.setHeader(DirectOffer.CONNECTIONS_HEADER, Integer.toString(transfer.connections()));
            confirm(response, 0);
        } else if (transfer.begin()) {
            try {
                if (transfer.fetches()) {
                    give(transfer, range, response);
                } else {
                    take(transfer, request, length, response);
                }
            } finally {
                transfer.end();
            }
        } else {
            refuse(response, "no connection left");
        }
    }

    private static void give(Admissions.Admission transfer, String range, HttpServletResponse response) {
        Matcher bytes = RANGE.matcher(range);
        if (!bytes.matches()) {
            refuse(response, "no range that is asked for here");
            return;
        }
        long first = Long.parseLong(bytes.group(1));
        long last = Long.parseLong(bytes.group(2));
        if (last < first || last >= transfer.available() || last - first >= MAX_ANSWER) {
            refuse(response, "no range of the file");
            return;
        }
        int length = (int) (last - first + 1);
        response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
        response.setHeader("Content-Range", "bytes " + first + '-' + last + '/' + transfer.available());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader(DirectOffer.TAKEN_HEADER, Integer.toString(length));
        response.setContentType(BYTES);
        response.setContentLength(length);
        try {
            transfer.give(first, length, response.getOutputStream());
        } catch (IOException e) {
            // the web server closes the connection of an incomplete answer
            LOGGER.log(Level.FINE, "Broke off an answer", e);
        }
    }

    private static void take(
            Admissions.Admission transfer, HttpServletRequest request, int length, HttpServletResponse response) {
        try {
            transfer.take(request.getInputStream(), length);
            confirm(response, length);
        } catch (IOException e) {
            refuse(response, e.getMessage());
        }
    }

    private static void confirm(HttpServletResponse response, int length) {
        response.setHeader(DirectOffer.TAKEN_HEADER, Integer.toString(length));
        response.setStatus(DirectOffer.TAKEN_STATUS);
    }

    /** The transfer to which this request belongs; null if the request is to be refused. */
    private static Admissions.Admission admitted(HttpServletRequest request) {
        String token = request.getHeader(DirectOffer.TOKEN_HEADER);
        if (token == null || request.getQueryString() != null) {
            return null;
        }
        Admissions.Admission transfer = Admissions.ALL.find(token);
        if (transfer == null || !(transfer.fetches() ? "GET" : "POST").equals(request.getMethod())) {
            return null;
        }
        if (transfer.fetches()) {
            return transfer;
        }
        // -1: unknown, as in a chunked request
        int length = request.getContentLength();
        return length >= 0 && length <= transfer.maxLength() && BYTES.equals(request.getContentType())
                ? transfer
                : null;
    }

    private static void refuse(HttpServletResponse response, String reason) {
        long count = Admissions.ALL.countRefusal();
        LOGGER.log(Level.FINE, "Refused, as {0} requests before: {1}", new Object[] {count - 1, reason});
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
    }

    /** Requires no crumb: only its token gives a request any rights, no cookie and no credential. */
    @Extension
    public static final class NoCrumb extends CrumbExclusion {
        @Override
        public boolean process(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            if (!("/" + PATH).equals(request.getPathInfo())) {
                return false;
            }
            chain.doFilter(request, response);
            return true;
        }
    }
}
