package io.jenkins.plugins.compressionaware.engine.http;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Authenticates the HTTP messages of a transfer by a public name and a key for each direction. All are derived from a secret, which is sent only
 * over the agent's channel, in an offer, and used by one {@link DirectLaneGroup}. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class LaneKeys {
    private static final int ID = 16;

    private static final Pattern REQUEST = Pattern.compile("([\\w-]{22}) (\\d{1,18}) ([\\w-]{22})");
    private static final Pattern ANSWER = Pattern.compile("(\\d{1,18}) ([\\w-]{22})");

    private final String id;
    private final Seal requests;
    private final Seal answers;

    /** @param secret created by {@link #newSecret} */
    public LaneKeys(String secret) {
        byte[] bytes = Base64.getUrlDecoder().decode(secret);
        id = text(Arrays.copyOf(bytes, ID));
        requests = new Seal(bytes, ID);
        answers = new Seal(bytes, ID + Seal.KEY);
    }

    /** Returns the secret of a new transfer. */
    public static String newSecret(SecureRandom random) {
        byte[] bytes = new byte[ID + 2 * Seal.KEY];
        random.nextBytes(bytes);
        return text(bytes);
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the public name of the transfer, which each request contains in a header. */
    public String id() {
        return id;
    }

    /** Returns the seal of the agent's messages. */
    public Seal requests() {
        return requests;
    }

    /** Returns the seal of the controller's messages. */
    public Seal answers() {
        return answers;
    }

    /** Returns the value of {@link DirectLaneOffer#REQUEST_HEADER} for a new request. */
    public String request(long number, String head) {
        return id + ' ' + number + ' ' + requests.tag(number, head);
    }

    /** Returns the value of {@link DirectLaneOffer#ANSWER_HEADER} for a new response. */
    public String answer(long number, String head) {
        return number + " " + answers.tag(number, head);
    }

    /** Returns the number of a response if the controller sent this header for this head; otherwise 0. */
    public long verified(@CheckForNull String header, String head) {
        Matcher answer = ANSWER.matcher(header == null ? "" : header);
        if (!answer.matches()) {
            return 0;
        }
        long number = Long.parseLong(answer.group(1));
        return answers.verifies(number, head, answer.group(2)) ? number : 0;
    }

    /**
     * Returns the head of a request, which its tag authenticates.
     *
     * @param length bytes of the body as sent; 0 if there is none
     */
    public static String requestHead(int length) {
        return Integer.toString(length);
    }

    /**
     * Returns the head of a response, which its tag authenticates.
     *
     * @param length      bytes received or sent, without seals; may be 0
     * @param connections number of requests that may run in parallel; 0 unless the request is empty
     */
    public static String answerHead(long request, int status, int length, int connections) {
        return request + " " + status + ' ' + length + ' ' + connections;
    }

    /** The parsed header of a request, not yet verified. */
    public record Request(String id, long number, String tag) {
        /** Parses a header; returns null if it is invalid. */
        @CheckForNull
        public static Request of(@CheckForNull String header) {
            Matcher request = REQUEST.matcher(header == null ? "" : header);
            return request.matches()
                    ? new Request(request.group(1), Long.parseLong(request.group(2)), request.group(3))
                    : null;
        }
    }
}
