package io.jenkins.plugins.compressionaware.transfer;

import java.io.IOException;

/** A failure whose message is complete: it names the agent, the folder and the reason, in the controller's language. */
final class ExplainedException extends IOException {
    private static final long serialVersionUID = 1L;

    ExplainedException(String message, Throwable cause) {
        super(message, cause);
    }
}
