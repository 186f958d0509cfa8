package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Returns advice about direct lane failures, for the build log and the administrator's page. */
final class LaneAdvice {
    private LaneAdvice() {}

    /** Returns the advice for all causes; null if no remedy is known. */
    @CheckForNull
    static String of(Set<LaneFailure> causes) {
        String all =
                causes.stream().map(LaneAdvice::of).filter(Objects::nonNull).collect(Collectors.joining(" "));
        return all.isEmpty() ? null : all;
    }

    @CheckForNull
    private static String of(LaneFailure cause) {
        return switch (cause) {
            case TOO_LARGE -> Messages.LaneAdvice_tooLarge();
            case CONTENT -> Messages.LaneAdvice_content();
            case REDIRECT -> Messages.LaneAdvice_redirect();
            case LOGIN -> Messages.LaneAdvice_login();
            case PROXY_LOGIN -> Messages.LaneAdvice_proxyLogin();
            case REFUSED -> Messages.LaneAdvice_refused();
            case BUSY -> Messages.LaneAdvice_busy();
            case WRONG_SERVER -> Messages.LaneAdvice_else();
            case UNKNOWN_HOST -> Messages.LaneAdvice_unknownHost();
            case UNTRUSTED_CERTIFICATE -> Messages.LaneAdvice_untrusted();
            case UNREACHABLE -> Messages.LaneAdvice_unreachable();
            case TIMEOUT -> Messages.LaneAdvice_silent();
            case NO_CIPHER -> Messages.LaneAdvice_noCipher();
            case STALLED -> Messages.LaneAdvice_stalled();
            case OTHER -> null;
        };
    }
}
