package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What to change where a direct lane does not work, for the build log and for the administrator's page: told from the words of the JDK, and of
 * {@link io.jenkins.plugins.compressionaware.transfer.EndpointConnection}.
 */
enum LaneAdvice {
    TOO_LARGE("HTTP 413", Messages::LaneAdvice_tooLarge),
    REDIRECT("HTTP 3\\d\\d", Messages::LaneAdvice_redirect),
    LOGIN("HTTP 40[137]", Messages::LaneAdvice_login),
    REFUSED("HTTP (?!413|3\\d\\d|40[137])", Messages::LaneAdvice_refused),
    SOMETHING_ELSE("something else answers", Messages::LaneAdvice_else),
    UNKNOWN_HOST("unknown host", Messages::LaneAdvice_unknownHost),
    UNTRUSTED("certification path|certificate|subject alternative", Messages::LaneAdvice_untrusted),
    NOBODY("Connection refused|No route to host|unreachable", Messages::LaneAdvice_unreachable),
    SILENT("no answer within", Messages::LaneAdvice_silent);

    private final Pattern said;
    private final Supplier<String> words;

    LaneAdvice(String said, Supplier<String> words) {
        this.said = Pattern.compile(said);
        this.words = words;
    }

    /**
     * One or more sentences.
     *
     * @param trouble  what the agent said; null if nothing
     * @param withheld {@link LaneAddresses#withheld}
     * @return null if nothing is known that would help
     */
    @CheckForNull
    static String of(@CheckForNull String trouble, @CheckForNull String withheld) {
        List<String> all = new ArrayList<>();
        for (LaneAdvice advice : values()) {
            if (trouble != null && advice.said.matcher(trouble).find()) {
                all.add(advice.words.get());
            }
        }
        if (withheld != null) {
            all.add(Messages.LaneAdvice_plain(withheld));
        }
        return all.isEmpty() ? null : String.join(" ", all);
    }
}
