package io.jenkins.plugins.compressionaware.engine.store;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The cause of a failed request to the store. */
@Restricted(NoExternalUse.class)
public enum StoreFailure {
    /** The store limits requests, or has a fault of its own. */
    BUSY(true, "The store did not recover in time."),
    TIMEOUT(true, "The store does not respond in time."),
    /** The connection broke, perhaps because the store refused the request before it had read the body. */
    BROKEN(true, "The connection to the store broke."),
    /** The bytes that arrived are not those that were signed. */
    DAMAGED(true, "The bytes were damaged on the way."),
    EXPIRED(true, "The signature has expired."),
    UNREACHABLE(
            true,
            "This agent cannot connect to the store. The controller and each agent need a connection of their own."),
    CLOCK(false, "Correct the clock of the controller."),
    DENIED(false, "The credentials of the store do not allow this request."),
    /** A refusal without a reason: the JDK loses it if the store refuses the request before it has read the body. */
    FORBIDDEN(
            false, "The credentials of the store do not allow this request, or the clock of the controller is wrong."),
    /** The bucket, the object or the unfinished upload does not exist. */
    MISSING(false, "The object was deleted, or the bucket does not exist."),
    CHANGED(false, "The object was replaced."),
    ARCHIVED(false, "A rule of the bucket has moved the object to an archive. Restore it first."),
    WRONG_REGION(false, "Correct the region or the endpoint of the store."),
    UNTRUSTED_CERTIFICATE(false, "This JVM does not trust the certificate of the store."),
    /** The response is not one of a store, so a proxy or a login page may have sent it. */
    NOT_A_STORE(false, "Correct the endpoint of the store, or the proxy."),
    REFUSED(false, "The store refuses the request.");

    /** A clock may differ by so much, milliseconds; stores accept a quarter of an hour, and dates are inaccurate. */
    private static final long MAX_SKEW = TimeUnit.MINUTES.toMillis(14);

    private static volatile String machine = "This agent";

    /** Whether repeating the request may help. */
    final boolean isTransient;

    private final String advice;

    StoreFailure(boolean isTransient, String advice) {
        this.isTransient = isTransient;
        this.advice = advice;
    }

    /** Lets messages name the machine of this JVM. */
    public static void onController() {
        machine = "The controller";
    }

    public StoreException because(String reason, @CheckForNull Throwable cause) {
        return new StoreException(this, reason + " " + advice(), cause);
    }

    /** Returns the cause and its remedy, whole sentences. */
    public String advice() {
        return advice.replace("This agent", machine);
    }

    /**
     * Returns the failure for a response.
     *
     * @param code    error code of the response; empty if it has none
     * @param message message of the response
     * @param skew    milliseconds by which the clock of the store is ahead of that of the controller; 0 if unknown
     */
    public static StoreFailure of(int status, String code, String message, long skew) {
        return switch (status) {
            case 301, 302, 307, 308 -> code.isEmpty() ? NOT_A_STORE : WRONG_REGION;
            case 400 -> ofBadRequest(code);
            case 403 -> ofForbidden(code, message, skew);
            case 404 -> MISSING;
            case 412 -> CHANGED;
            case 408 -> TIMEOUT;
            case 429, 500, 502, 503, 504 -> BUSY;
            default -> status >= 300 ? REFUSED : code.isEmpty() ? NOT_A_STORE : BUSY;
        };
    }

    private static StoreFailure ofBadRequest(String code) {
        return switch (code) {
            case "RequestTimeout" -> TIMEOUT;
            case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError" -> WRONG_REGION;
            case "ExpiredToken" -> EXPIRED;
            case "BadDigest", "InvalidDigest", "XAmzContentChecksumMismatch", "XAmzContentSHA256Mismatch" -> DAMAGED;
            default -> REFUSED;
        };
    }

    private static StoreFailure ofForbidden(String code, String message, long skew) {
        if (code.equals("RequestTimeTooSkewed") || Math.abs(skew) > MAX_SKEW) {
            return CLOCK;
        }
        if (code.contains("Expired") || message.contains("expired")) {
            return EXPIRED;
        }
        return code.isEmpty() ? FORBIDDEN : code.equals("InvalidObjectState") ? ARCHIVED : DENIED;
    }

    /** Returns the failure for an exception of a connection. */
    public static StoreFailure of(IOException e) {
        return switch (LaneFailure.of(e)) {
            case TIMEOUT -> TIMEOUT;
            case UNKNOWN_HOST, UNREACHABLE -> UNREACHABLE;
            case UNTRUSTED_CERTIFICATE -> UNTRUSTED_CERTIFICATE;
            default -> BROKEN;
        };
    }
}
