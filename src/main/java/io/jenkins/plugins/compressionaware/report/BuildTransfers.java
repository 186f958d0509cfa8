package io.jenkins.plugins.compressionaware.report;

import hudson.model.InvisibleAction;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * What is remembered of a build's transfers, in its {@code build.xml}: the first {@value #ROWS} one by one, further ones summed. Any thread may
 * use it.
 */
@ExportedBean(defaultVisibility = 2)
public final class BuildTransfers extends InvisibleAction {
    /** About 1.5 kB each in {@code build.xml}. */
    public static final int ROWS = 100;

    // it is saved while other branches of the build add
    private final CopyOnWriteArrayList<TransferFigures> transfers = new CopyOnWriteArrayList<>();
    private volatile SummedFigures further = SummedFigures.NONE;

    public synchronized void add(TransferFigures transfer) {
        if (transfers.size() < ROWS) {
            transfers.add(transfer);
        } else {
            further = further.plus(transfer);
        }
    }

    /** In the order in which they ended. */
    @Exported(inline = true)
    public List<TransferFigures> getTransfers() {
        return List.copyOf(transfers);
    }

    /** Those that are not in {@link #getTransfers}. */
    @Exported(inline = true)
    public SummedFigures getFurther() {
        return further;
    }

    /** All together. */
    @Exported(inline = true)
    public synchronized SummedFigures getTotal() {
        SummedFigures total = further;
        for (TransferFigures transfer : transfers) {
            total = total.plus(transfer);
        }
        return total;
    }

    private Object readResolve() {
        transfers.removeIf(TransferFigures::isIncomplete);
        if (further == null) {
            further = SummedFigures.NONE;
        }
        return this;
    }
}
