package io.jenkins.plugins.compressionaware.pages;

import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Action;
import hudson.model.Api;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.report.BuildTransfers;
import io.jenkins.plugins.compressionaware.report.Formats;
import io.jenkins.plugins.compressionaware.report.Totals;
import java.util.Collection;
import java.util.List;
import jenkins.model.TransientActionFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** "Artifact transfers" of a build, for whom may read it: figures, and no names of files. */
@Restricted(NoExternalUse.class)
public final class BuildTransfersPage implements Action {
    private final Run<?, ?> build;
    private final BuildTransfers transfers;

    private BuildTransfersPage(Run<?, ?> build, BuildTransfers transfers) {
        this.build = build;
        this.transfers = transfers;
    }

    @Override
    public String getIconFileName() {
        return "symbol-swap";
    }

    @Override
    public String getDisplayName() {
        return Messages.BuildTransfersPage_displayName();
    }

    @Override
    public String getUrlName() {
        return "artifact-transfers";
    }

    /** For the page. */
    public Run<?, ?> getBuild() {
        return build;
    }

    /** All transfers in one sentence: how much, how long, and what limited them. */
    public String getSummary() {
        Totals total = transfers.getTotal();
        Formats formats = getFormats();
        String limit = TransferRow.limit(transfers.getTransfers());
        return Messages.BuildTransfersPage_summary(
                total.transfers,
                formats.bytes(total.rawBytes),
                formats.time(total.duration),
                formats.speed(total.rawBytes, total.duration),
                formats.sent(total.wireBytes, total.rawBytes),
                limit.equals(Formats.UNKNOWN) ? "" : Messages.BuildTransfersPage_limit(limit),
                total.failed);
    }

    public List<TransferRow> getRows() {
        return transfers.getTransfers().stream().map(TransferRow::new).toList();
    }

    /** All transfers that have no row. */
    public Totals getFurther() {
        return transfers.getFurther();
    }

    public Formats getFormats() {
        return Formats.ofReader();
    }

    /** The same for programs. */
    public Api getApi() {
        return new Api(transfers);
    }

    /** Of builds that have had transfers. */
    @Extension
    public static final class Factory extends TransientActionFactory<Run<?, ?>> {
        @SuppressWarnings({"unchecked", "rawtypes"})
        @Override
        public Class<Run<?, ?>> type() {
            return (Class) Run.class;
        }

        @Override
        public Class<? extends Action> actionType() {
            return BuildTransfersPage.class;
        }

        @NonNull
        @Override
        public Collection<? extends Action> createFor(@NonNull Run<?, ?> build) {
            BuildTransfers transfers = build.getAction(BuildTransfers.class);
            return transfers == null ? List.of() : List.of(new BuildTransfersPage(build, transfers));
        }
    }
}
