package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;

/** An entry is not what was asked for, or would not stay within its folder. */
final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
        super(message);
    }

    static RefusedException ofKind() {
        return new RefusedException("neither a file, a folder nor a symbolic link");
    }
}
