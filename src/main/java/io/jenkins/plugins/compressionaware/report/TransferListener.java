package io.jenkins.plugins.compressionaware.report;

import hudson.ExtensionPoint;

/**
 * Hears of every transfer between a build and an agent. Whatever a method throws is logged and harms no build. They are to return soon: all
 * but {@link #progressed} are called by the thread that transfers, that one by a timer's thread which others wait for.
 */
public abstract class TransferListener implements ExtensionPoint {
    /** A transfer starts. What is given may be asked at any time how far it is. */
    public void started(RunningTransfer transfer) {}

    /** A transfer has been running for five seconds more. May come a moment after the transfer is over. */
    public void progressed(RunningTransfer transfer) {}

    /** Everything is in its place. */
    public void completed(TransferResult result) {}

    /** Nothing is in its place; {@link TransferResult#failure} says why. */
    public void failed(TransferResult result) {}
}
