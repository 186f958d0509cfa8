package io.jenkins.plugins.compressionaware.report;

import hudson.model.InvisibleAction;
import hudson.model.Run;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * The transfers that a build remembers in its {@code build.xml}: the first {@value #ROWS} one by one, further ones summed. Any thread may
 * use it.
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class BuildTransfers extends InvisibleAction {
    static {
        // as they were called when builds were first saved with them, so that older versions can read what is saved
        String names = BuildTransfers.class.getPackageName();
        Run.XSTREAM2.alias(names + ".TransferFigures", TransferResult.class);
        Run.XSTREAM2.alias(names + ".CodecFigures", CodecShare.class);
    }

    /** About 1.5 kB each in {@code build.xml}. */
    public static final int ROWS = 100;

    // it is saved while other branches of the build add
    private final CopyOnWriteArrayList<TransferResult> transfers = new CopyOnWriteArrayList<>();
    private volatile Totals further = Totals.NONE;

    public synchronized void add(TransferResult transfer) {
        if (transfers.size() < ROWS) {
            transfers.add(transfer);
        } else {
            further = further.plus(Totals.of(transfer));
        }
    }

    /** In the order in which they ended. For whom asks for them: the build's own {@code api/json} has the sums alone. */
    @Exported(visibility = 1, inline = true)
    public List<TransferResult> getTransfers() {
        return List.copyOf(transfers);
    }

    /** The rest, beyond {@link #getTransfers}. */
    @Exported(visibility = 1, inline = true)
    public Totals getFurther() {
        return further;
    }

    @Exported(inline = true)
    public synchronized Totals getTotal() {
        return transfers.stream().map(Totals::of).reduce(further, Totals::plus);
    }

    private Object readResolve() {
        transfers.removeIf(TransferResult::isIncomplete);
        if (further == null) {
            further = Totals.NONE;
        }
        return this;
    }
}
