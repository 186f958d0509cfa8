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
 * The transfers of a build, saved in {@code build.xml}, and their page: the first {@value #ROWS} individually, the others as totals. The page is visible to
 * everyone who may read the build; it shows no more about failures than the build log. Thread-safe.
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class BuildTransfersAction implements RunAction2 {
    /** Maximum number of individual transfers, each of which takes about 1.5 kB in {@code build.xml}. */
    public static final int ROWS = 100;

    // copy on write, because parallel branches add transfers during a save
    private final CopyOnWriteArrayList<TransferResult> transfers = new CopyOnWriteArrayList<>();
    private volatile TransferTotals further = TransferTotals.NONE;
    private transient Run<?, ?> build;

    public synchronized void add(TransferResult transfer) {
        if (transfers.size() < ROWS) {
            transfers.add(transfer);
        } else {
            further = further.plus(new TransferTotals(transfer));
        }
    }

    /** Returns transfers in the order of their end. The build's own {@code api/json} exports them only on request. */
    @Exported(visibility = 1, inline = true)
    public List<TransferResult> getTransfers() {
        return List.copyOf(transfers);
    }

    @Exported(visibility = 1, inline = true)
    public TransferTotals getAggregated() {
        return further;
    }

    @Exported(inline = true)
    public synchronized TransferTotals getTotal() {
        return transfers.stream().map(TransferTotals::new).reduce(further, TransferTotals::plus);
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

    public Run<?, ?> getBuild() {
        return build;
    }

    /** Returns a one-sentence summary of the completed transfers for the page; empty if there are none. */
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

    /** Returns a sentence on failed and aborted transfers for the page; empty if there are none. */
    public String getFailureSummary() {
        long failed = getTotal().failed;
        return failed == 0 ? "" : Messages.BuildTransfersAction_failed(failed);
    }

    public List<TransferRow> getRows() {
        return transfers.stream().map(TransferRow::new).toList();
    }

    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }

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
