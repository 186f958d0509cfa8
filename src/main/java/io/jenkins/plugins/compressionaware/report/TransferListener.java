package io.jenkins.plugins.compressionaware.report;

import hudson.ExtensionPoint;

/**
 * Hears of every transfer between a build and an agent. Whatever a method throws is logged and harms no build. They are to return soon: all
 * but {@link #progressed} are called by the thread that transfers, that one by a timer's thread which others wait for.
 */
public abstract class TransferListener implements ExtensionPoint {
    /** A transfer starts. Its progress may be kept until it is over. */
    public void started(TransferProgress running) {}

    /** A transfer has been running for five seconds more. May come a moment after the transfer is over. */
    public void progressed(TransferProgress running) {}

    public void completed(Transfer transfer, TransferResult result) {}

    /** Unchanged files of a build that is over share the disk with those of an earlier one from now on. Called by the thread that has done it. */
    public void shared(String job, long bytes) {}

    /** It has failed, or somebody has aborted it. */
    public void failed(Transfer transfer, TransferResult result, Throwable failure) {}
}
