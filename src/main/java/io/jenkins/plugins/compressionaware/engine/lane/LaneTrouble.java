package io.jenkins.plugins.compressionaware.engine.lane;

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

/** Why requests of a direct lane do not arrive. Each has its own remedy. */
@Restricted(NoExternalUse.class)
public enum LaneTrouble {
    TOO_LARGE,
    REDIRECT,
    LOGIN,
    PROXY_LOGIN,
    REFUSED,
    SOMETHING_ELSE,
    UNKNOWN_HOST,
    UNTRUSTED,
    UNREACHABLE,
    SILENT,
    /** No remedy is known. */
    OTHER;

    /** Beginning of the JDK's message for a wrong host name, which is a plain IOException. */
    private static final String WRONG_NAME = "HTTPS hostname wrong";

    static LaneTrouble of(Throwable failure) {
        if (failure instanceof EndpointConnection.WrongAnswerException answer) {
            return answer.kind();
        }
        if (failure instanceof Seal.ChangedException) {
            return SOMETHING_ELSE;
        }
        if (failure instanceof SocketTimeoutException) {
            return SILENT;
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
                return UNTRUSTED;
            }
        }
        return OTHER;
    }

    /** The kinds in an agent's message, which may be null or contain nulls. */
    static EnumSet<LaneTrouble> set(@CheckForNull LaneTrouble[] said) {
        EnumSet<LaneTrouble> set = EnumSet.noneOf(LaneTrouble.class);
        for (LaneTrouble one : said == null ? new LaneTrouble[0] : said) {
            if (one != null) {
                set.add(one);
            }
        }
        return set;
    }

    static LaneTrouble of(int status) {
        return switch (status) {
            case 204 -> SOMETHING_ELSE;
            case 401, 403 -> LOGIN;
            case 407 -> PROXY_LOGIN;
            case 413 -> TOO_LARGE;
            default -> status / 100 == 3 ? REDIRECT : REFUSED;
        };
    }
}
