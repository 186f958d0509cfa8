package io.jenkins.plugins.compressionaware.engine.http;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.EnumSet;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The cause of failed requests of a direct lane. Each cause has its own remedy. */
@Restricted(NoExternalUse.class)
public enum LaneFailure {
    TOO_LARGE,
    /** A body was refused although one of its size has passed. */
    CONTENT,
    REDIRECT,
    LOGIN,
    PROXY_LOGIN,
    REFUSED,
    /** A proxy limits requests, or does not reach the controller at the moment. */
    BUSY,
    WRONG_SERVER,
    UNKNOWN_HOST,
    UNTRUSTED_CERTIFICATE,
    UNREACHABLE,
    TIMEOUT,
    /** The agent's JVM cannot authenticate requests. */
    NO_CIPHER,
    /** No answer in time, from an address that accepts connections or has answered requests of the same transfer. */
    STALLED,
    /** Any other cause, for which no remedy is known. */
    OTHER;

    /** Start of the JDK's message for a certificate of another host; the exception is a plain IOException. */
    private static final String WRONG_NAME = "HTTPS hostname wrong";

    public static LaneFailure of(Throwable failure) {
        if (failure instanceof HttpLaneConnection.WrongAnswerException answer) {
            return answer.failure();
        }
        if (failure instanceof Seal.ChangedException) {
            return WRONG_SERVER;
        }
        if (failure instanceof Seal.NoCipherException) {
            return NO_CIPHER;
        }
        if (failure instanceof SocketTimeoutException) {
            return TIMEOUT;
        }
        if (failure instanceof UnknownHostException) {
            return UNKNOWN_HOST;
        }
        if (failure instanceof ConnectException || failure instanceof NoRouteToHostException) {
            return UNREACHABLE;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException
                    || cause instanceof SSLPeerUnverifiedException
                    || String.valueOf(cause.getMessage()).startsWith(WRONG_NAME)) {
                return UNTRUSTED_CERTIFICATE;
            }
        }
        return OTHER;
    }

    /** Returns the reason of a failure, for messages. */
    public static String reason(Throwable e) {
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        if (e instanceof OutOfMemoryError) {
            return "out of memory: " + reason;
        }
        return e instanceof UnknownHostException ? "unknown host " + reason : reason;
    }

    /** Returns the causes that an agent reported in an array, which may be null or contain nulls. */
    static EnumSet<LaneFailure> set(@CheckForNull LaneFailure[] reported) {
        EnumSet<LaneFailure> set = EnumSet.noneOf(LaneFailure.class);
        for (LaneFailure failure : reported == null ? new LaneFailure[0] : reported) {
            if (failure != null) {
                set.add(failure);
            }
        }
        return set;
    }

    /** Returns whether the other end may answer later, because it may be suspended or busy. */
    boolean isSilence() {
        return this == TIMEOUT || this == STALLED;
    }

    static LaneFailure of(int status) {
        return switch (status) {
            case 204 -> WRONG_SERVER;
            case 401, 403 -> LOGIN;
            case 407 -> PROXY_LOGIN;
            case 413 -> TOO_LARGE;
            case 429, 502, 503, 504 -> BUSY;
            default -> status / 100 == 3 ? REDIRECT : REFUSED;
        };
    }
}
