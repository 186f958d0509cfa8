package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.model.UnprotectedRootAction;
import hudson.security.csrf.CrumbExclusion;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import io.jenkins.plugins.compressionaware.transfer.LaneKeys;
import io.jenkins.plugins.compressionaware.transfer.Seal;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/**
 * Receives blocks from agents and sends them blocks of a stored file. Needs no login, because an agent has no account. A request without a valid tag
 * of a running transfer gets the same answer as a page that does not exist.
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

    /** Answers all requests but those of a transfer's own agent alike, so the method is checked here and not by an annotation. */
    @SuppressWarnings("lgtm[jenkins/csrf]")
    public void doIndex(StaplerRequest2 request, StaplerResponse2 response) throws IOException {
        Exchange exchange = admitted(request);
        if (exchange == null) {
            refuse(response, "no request of a transfer");
            return;
        }
        Admissions.Admission transfer = exchange.transfer;
        if (transfer.fetches() ? exchange.range == null : exchange.length == 0) {
            int connections = transfer.connections();
            response.setHeader(DirectOffer.CONNECTIONS_HEADER, Integer.toString(connections));
            exchange.confirm(response, 0, connections);
        } else if (transfer.begin()) {
            try {
                if (transfer.fetches()) {
                    exchange.give(response);
                } else {
                    exchange.take(request, response);
                }
            } finally {
                transfer.end();
            }
        } else {
            refuse(response, "no connection left");
        }
    }

    /**
     * A request whose tag is valid.
     *
     * @param head   as verified
     * @param length bytes of its opened body
     * @param range  header of that name; null if there is none
     */
    private record Exchange(
            Admissions.Admission transfer,
            LaneKeys.Request request,
            String head,
            int length,
            @CheckForNull String range) {
        private void give(HttpServletResponse response) {
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
            int given = (int) (last - first + 1);
            String said = "bytes " + first + '-' + last + '/' + transfer.available();
            String answerHead = LaneKeys.rangeHead(request.number(), said);
            long answer = begin(response, HttpServletResponse.SC_PARTIAL_CONTENT, answerHead);
            response.setHeader("Content-Range", said);
            response.setContentType(BYTES);
            response.setContentLength(request.sealed() ? Seal.sealedLength(given) : given);
            try {
                OutputStream out = response.getOutputStream();
                if (request.sealed()) {
                    Seal.Sealing sealing = transfer.keys().answers().sealing(answer, answerHead, out);
                    transfer.give(first, given, sealing);
                    sealing.finish();
                } else {
                    transfer.give(first, given, out);
                }
            } catch (IOException e) {
                // the web server closes the connection after an incomplete answer
                LOGGER.log(Level.FINE, "Broke off an answer", e);
            }
        }

        private void take(HttpServletRequest http, HttpServletResponse response) {
            try {
                InputStream body = http.getInputStream();
                Seal seal = transfer.keys().requests();
                transfer.take(request.sealed() ? seal.opening(request.number(), head, body, length) : body, length);
                confirm(response, length, 0);
            } catch (IOException e) {
                refuse(response, e.getMessage());
            }
        }

        private void confirm(HttpServletResponse response, int taken, int connections) {
            begin(response, DirectOffer.TAKEN_STATUS, LaneKeys.receiptHead(request.number(), taken, connections));
        }

        /** Begins the answer with this head, and returns its number. */
        private long begin(HttpServletResponse response, int status, String answerHead) {
            long answer = transfer.keys().answers().next();
            response.setStatus(status);
            response.setHeader("Cache-Control", "no-store");
            response.setHeader(DirectOffer.ANSWER_HEADER, transfer.keys().answer(answer, answerHead));
            return answer;
        }
    }

    /** Returns the verified request; null if it must be refused. */
    @CheckForNull
    private static Exchange admitted(HttpServletRequest http) {
        LaneKeys.Request request = LaneKeys.Request.of(http.getHeader(DirectOffer.REQUEST_HEADER));
        Admissions.Admission transfer = request == null ? null : Admissions.ALL.find(request.id());
        if (transfer == null || http.getQueryString() != null) {
            return null;
        }
        boolean fetches = transfer.fetches();
        // -1: unknown, as in a chunked request
        int sent = fetches ? 0 : http.getContentLength();
        int length = sent < 0 || !request.sealed() ? sent : Seal.openedLength(sent);
        if (length < 0 || !fetches && (length > transfer.maxLength() || !BYTES.equals(http.getContentType()))) {
            return null;
        }
        String range = fetches ? http.getHeader("Range") : null;
        String head = LaneKeys.requestHead(http.getMethod(), request.sealed(), sent, range);
        boolean ours = http.getMethod().equals(fetches ? "GET" : "POST") && transfer.admits(request, head);
        return ours ? new Exchange(transfer, request, head, length, range) : null;
    }

    private static void refuse(HttpServletResponse response, String reason) {
        long count = Admissions.ALL.countRefusal();
        LOGGER.log(Level.FINE, "Refused, as {0} requests before: {1}", new Object[] {count - 1, reason});
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
    }

    /** Exempts this end point from CSRF protection: authority comes only from the tag, never from cookies or credentials. */
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
