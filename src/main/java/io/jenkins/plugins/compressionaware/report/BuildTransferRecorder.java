package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.model.Job;
import hudson.model.Run;
import hudson.security.ACL;
import hudson.security.ACLContext;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Records the result of every transfer in its build. */
@Extension
@Restricted(NoExternalUse.class)
public final class BuildTransferRecorder extends TransferListener {
    private static final Logger LOGGER = Logger.getLogger(BuildTransferRecorder.class.getName());

    /** Seconds between a transfer and saving its build. Further transfers in this time share the save; a crash loses them. */
    private static final int SAVE_AFTER = 2;

    /** Unsaved builds. The value is true if the build had already ended, because a Maven module archives after its end and no later event saves it. */
    private final Map<Run<?, ?>, Boolean> unsaved = new ConcurrentHashMap<>();

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        record(transfer, result);
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        record(transfer, result);
    }

    private void record(TransferInfo transfer, TransferResult result) {
        Run<?, ?> build = buildOf(transfer);
        if (build != null) {
            transfersOf(build).add(result);
            if (unsaved.put(build, !build.isLogUpdated()) == null) {
                // if no thread is available, the next transfer or the build's end saves the build
                DelayedExecutor.schedule(SAVE_AFTER, () -> save(build), () -> unsaved.remove(build));
            }
        }
    }

    @CheckForNull
    private static Run<?, ?> buildOf(TransferInfo transfer) {
        // a build may run as a user without read permission
        try (ACLContext unused = ACL.as2(ACL.SYSTEM2)) {
            Job<?, ?> job = Jenkins.get().getItemByFullName(transfer.job(), Job.class);
            return job == null ? null : job.getBuildByNumber(transfer.build());
        }
    }

    private synchronized BuildTransfersAction transfersOf(Run<?, ?> build) {
        BuildTransfersAction transfers = build.getAction(BuildTransfersAction.class);
        if (transfers == null) {
            transfers = new BuildTransfersAction();
            // before addAction, which publishes the action before calling onAttached
            transfers.onAttached(build);
            build.addAction(transfers);
        }
        return transfers;
    }

    private void save(Run<?, ?> build) {
        // before the save, so that a concurrent transfer schedules another save
        boolean hadEnded = Boolean.TRUE.equals(unsaved.remove(build));
        boolean isSavedByItsEnd = !hadEnded && !build.isLogUpdated();
        if (isSavedByItsEnd || !build.getRootDir().isDirectory()) { // or the build was deleted
            return;
        }
        try {
            build.save();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "Cannot save the record of transfers of " + build, e);
        }
    }
}
