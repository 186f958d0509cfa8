package io.jenkins.plugins.compressionaware.report;

import hudson.model.Api;
import hudson.model.Run;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import jenkins.model.RunAction2;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * The transfers that a build remembers in its {@code build.xml}: the first {@value #ROWS} one by one, further ones as sums. Thread-safe. Its page shows
 * figures, and the reasons of failures that the build log has, to anyone who may read the build.
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class BuildTransfersAction implements RunAction2 {
    /** About 1.5 kB each in {@code build.xml}. */
    public static final int ROWS = 100;

    // saved while other branches of the build add to it
    private final CopyOnWriteArrayList<TransferResult> transfers = new CopyOnWriteArrayList<>();
    private volatile TransferTotals further = TransferTotals.NONE;
    private transient Run<?, ?> build;

    public synchronized void add(TransferResult transfer) {
        if (transfers.size() < ROWS) {
            transfers.add(transfer);
        } else {
            further = further.plus(TransferTotals.of(transfer));
        }
    }

    /** In the order in which they ended. Exported only on request: the build's own {@code api/json} has only the sums. */
    @Exported(visibility = 1, inline = true)
    public List<TransferResult> getTransfers() {
        return List.copyOf(transfers);
    }

    /** Sums of the transfers beyond {@link #getTransfers}. */
    @Exported(visibility = 1, inline = true)
    public TransferTotals getAggregated() {
        return further;
    }

    @Exported(inline = true)
    public synchronized TransferTotals getTotal() {
        return transfers.stream().map(TransferTotals::of).reduce(further, TransferTotals::plus);
    }

    @Override
    public void onAttached(Run<?, ?> build) {
        this.build = build;
    }

    @Override
    public void onLoad(Run<?, ?> build) {
        this.build = build;
    }

    @Override
    public String getIconFileName() {
        return "symbol-swap";
    }

    @Override
    public String getDisplayName() {
        return Messages.BuildTransfersAction_displayName();
    }

    @Override
    public String getUrlName() {
        return "artifact-transfers";
    }

    /** For the page. */
    public Run<?, ?> getBuild() {
        return build;
    }

    /** For the page: one sentence on all completed transfers; empty if there is none. */
    public String getSummary() {
        TransferTotals total = getTotal();
        FigureFormat formats = getFormats();
        return total.transfers == total.failed
                ? ""
                : Messages.BuildTransfersAction_summary(
                        formats.bytes(total.rawBytes),
                        formats.time(total.duration),
                        formats.rate(1e3 * total.rawBytes / total.duration),
                        total.transfers - total.failed,
                        BuildLogMessages.sent(total.wireBytes, total.rawBytes, formats));
    }

    /** For the page: one sentence on the other transfers; empty if there is none. */
    public String getTrouble() {
        long failed = getTotal().failed;
        return failed == 0 ? "" : Messages.BuildTransfersAction_failed(failed);
    }

    /** For the page. */
    public List<TransferRow> getRows() {
        return transfers.stream().map(TransferRow::new).toList();
    }

    /** For the page. */
    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }

    /** The same for programs. */
    public Api getApi() {
        return new Api(this);
    }

    private Object readResolve() {
        transfers.removeIf(TransferResult::isIncomplete);
        if (further == null) {
            further = TransferTotals.NONE;
        }
        return this;
    }
}
