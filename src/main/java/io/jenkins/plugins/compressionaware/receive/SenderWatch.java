package io.jenkins.plugins.compressionaware.receive;

import java.io.IOException;

/** Asked now and then while the receiver waits for bytes. */
@FunctionalInterface
public interface SenderWatch {
    /**
     * Returns while bytes can still come.
     *
     * @throws IOException the reason why none will come any more
     */
    void check() throws IOException, InterruptedException;
}
