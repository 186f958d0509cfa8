package io.jenkins.plugins.compressionaware.report;

import hudson.ExtensionPoint;

/**
 * Hears of every transfer between a build and an agent. An exception of a method is logged and harms no build. Methods must return soon: {@link
 * #progressed} is called by a timer's thread for which others wait, {@link #deduplicated} by the thread that shares files, the others by that of the transfer.
 */
public abstract class TransferListener implements ExtensionPoint {
    /** A transfer starts. Its progress may be kept until the transfer is over. */
    public void started(TransferProgress running) {}

    /** A transfer has been running for another five seconds. May come a moment after the transfer is over. */
    public void progressed(TransferProgress running) {}

    public void completed(TransferInfo transfer, TransferResult result) {}

    /** Unchanged files of a finished build share the disk with those of an earlier build from now on. */
    public void deduplicated(String job, long bytes) {}

    /** A transfer has failed or was aborted. */
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {}
}
