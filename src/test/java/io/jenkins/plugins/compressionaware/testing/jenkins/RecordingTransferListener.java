package io.jenkins.plugins.compressionaware.testing.jenkins;

import hudson.ExtensionList;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Records the events of all transfers of a test. */
public final class RecordingTransferListener extends TransferListener {
    public final List<TransferInfo> started = Collections.synchronizedList(new ArrayList<>());
    public final List<TransferResult> completed = Collections.synchronizedList(new ArrayList<>());
    public final List<TransferResult> failed = Collections.synchronizedList(new ArrayList<>());
    public final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    /** Registers and returns a new listener. */
    public static RecordingTransferListener listen() {
        RecordingTransferListener listener = new RecordingTransferListener();
        ExtensionList.lookup(TransferListener.class).add(listener);
        return listener;
    }

    @Override
    public void started(TransferProgress transfer) {
        started.add(transfer.transfer());
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        completed.add(result);
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        failures.add(failure);
        failed.add(result);
    }
}
