package io.jenkins.plugins.compressionaware.report;

import hudson.ExtensionPoint;
import java.util.Map;

/**
 * Receives events for every transfer between a build and an agent. Exceptions thrown by a listener are logged and do not affect the build. Methods must
 * return quickly: {@link #progressed} runs on a shared timer thread, {@link #deduplicated} on the indexing thread, the others on the transfer's thread.
 */
public abstract class TransferListener implements ExtensionPoint {
    /** Called when a transfer starts. The argument remains valid until the transfer ends. */
    public void started(TransferProgress running) {}

    /** Called every five seconds during a transfer. The last call may follow the end of the transfer. */
    public void progressed(TransferProgress running) {}

    public void completed(TransferInfo transfer, TransferResult result) {}

    /**
     * Called before the end of a completed upload to a store. The figures are those of the agent.
     *
     * @param nanos   duration of the last request for each part
     * @param atOnce  number of requests of the upload that ran when the store had a part, for each part
     * @param repeats number of repeated requests by the cause of their failure
     */
    public void storedParts(long[] nanos, int[] atOnce, Map<? extends Enum<?>, Integer> repeats) {}

    /** Called when unchanged files of a finished build have been deduplicated on the disk. */
    public void deduplicated(String job, long bytes) {}

    /** Called when a transfer fails or is aborted. */
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {}
}
