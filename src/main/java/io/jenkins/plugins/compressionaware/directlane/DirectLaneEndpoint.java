package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.model.UnprotectedRootAction;
import hudson.security.csrf.CrumbExclusion;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/**
 * The HTTP endpoint of direct lanes: receives frames from agents and sends them ranges of a frame file. Agents have no account, so each request is
 * authenticated by a tag made with the secret of its transfer. Any other request gets the same response as a page that does not exist.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class DirectLaneEndpoint implements UnprotectedRootAction {
    private static final Logger LOGGER = Logger.getLogger(DirectLaneEndpoint.class.getName());
    private static final String NAME = "artifact-transfer-lane";

    private static final String BYTES = "application/octet-stream";

    /** Maximum bytes of a range in one response. */
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

    /** Handles a request. All requests without a valid tag get the same response, so the method is checked here and not by an annotation. */
    @SuppressWarnings("lgtm[jenkins/csrf]")
    public void doIndex(StaplerRequest2 request, StaplerResponse2 response) throws IOException {
        Exchange exchange = authorize(request);
        if (exchange == null) {
            reject(response, "no valid tag of a running transfer");
            return;
        }
        DirectLaneSessions.Session transfer = exchange.transfer;
        if (exchange.length == 0) {
            int connections = transfer.connections();
            response.setHeader(DirectLaneOffer.CONNECTIONS_HEADER, Integer.toString(connections));
            exchange.begin(response, DirectLaneOffer.TAKEN_STATUS, 0, connections);
        } else if (transfer.begin()) {
            try {
                exchange.run(response);
            } catch (IOException e) {
                reject(response, e.getMessage());
            } finally {
                transfer.end();
            }
        } else {
            // a request runs until its thread notices that the connection broke
            exchange.begin(response, DirectLaneOffer.BUSY_STATUS, 0, 0);
        }
    }

    /**
     * A request whose tag is valid.
     *
     * @param length bytes of the body without seals
     * @param body body without seals
     */
    private record Exchange(
            DirectLaneSessions.Session transfer, LaneKeys.Request request, int length, InputStream body) {
        private void run(HttpServletResponse response) throws IOException {
            if (transfer.isDownload()) {
                sendBlocks(RangeRequest.read(new DataInputStream(body)), response);
            } else {
                transfer.readFrom(body, length);
                begin(response, DirectLaneOffer.TAKEN_STATUS, length, 0);
            }
        }

        private void sendBlocks(RangeRequest range, HttpServletResponse response) throws IOException {
            int bytes = range.length();
            if (bytes < 1
                    || bytes > MAX_ANSWER
                    || range.position() < 0
                    || range.position() > transfer.available() - bytes) {
                throw new IOException("not a range of the file");
            }
            int status = HttpServletResponse.SC_OK;
            long answer = begin(response, status, bytes, 0);
            response.setContentType(BYTES);
            response.setContentLength(Seal.sealedLength(bytes));
            try {
                String head = LaneKeys.answerHead(request.number(), status, bytes, 0);
                Seal.Sealing sealing = transfer.keys().answers().sealing(answer, head, response.getOutputStream());
                transfer.writeTo(range, sealing);
                sealing.finish();
            } catch (IOException e) {
                // the web server closes the connection after an incomplete response
                LOGGER.log(Level.FINE, "Cannot complete a response to an agent", e);
            }
        }

        /** Writes the response headers, and returns the number of the response. */
        private long begin(HttpServletResponse response, int status, int bytes, int connections) {
            long answer = transfer.keys().answers().next();
            String head = LaneKeys.answerHead(request.number(), status, bytes, connections);
            response.setStatus(status);
            response.setHeader("Cache-Control", "no-store");
            response.setHeader(DirectLaneOffer.ANSWER_HEADER, transfer.keys().answer(answer, head));
            return answer;
        }
    }

    /** Returns the verified request; null if it must be rejected. */
    @CheckForNull
    private static Exchange authorize(HttpServletRequest http) throws IOException {
        LaneKeys.Request request = LaneKeys.Request.of(http.getHeader(DirectLaneOffer.REQUEST_HEADER));
        DirectLaneSessions.Session transfer = request == null ? null : DirectLaneSessions.ALL.find(request.id());
        if (transfer == null
                || http.getQueryString() != null
                || !http.getMethod().equals("POST")
                || !BYTES.equals(http.getContentType())) {
            return null;
        }
        // -1 if unknown, as in a chunked request
        int sent = http.getContentLength();
        int length = sent < 0 ? sent : Seal.openedLength(sent);
        String head = LaneKeys.requestHead(sent);
        if (length < 0 || length > transfer.maxLength() || !transfer.admits(request, head)) {
            return null;
        }
        Seal seal = transfer.keys().requests();
        InputStream body = seal.opening(request.number(), head, http.getInputStream(), length);
        return new Exchange(transfer, request, length, body);
    }

    private static void reject(HttpServletResponse response, String reason) {
        LOGGER.log(Level.FINE, "Refused a request ({0})", reason);
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
    }

    /** Exempts this endpoint from CSRF protection, because authority comes only from the tag, never from cookies or credentials. */
    @Extension
    public static final class CsrfExemption extends CrumbExclusion {
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
