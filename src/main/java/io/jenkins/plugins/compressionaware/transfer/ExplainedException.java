package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import java.io.IOException;

/** A failure whose message is complete: it names the agent, the folder and the reason, in the controller's language. */
final class ExplainedException extends IOException {
    private static final long serialVersionUID = 1L;

    ExplainedException(String message, Throwable cause) {
        super(BuildLogMessages.oneLine(message), cause);
    }
}
