package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A transfer as a row of a table, with the details that open below it, in the reader's language. */
@Restricted(NoExternalUse.class)
public final class TransferRow {
    public final TransferResult result;
    private final FigureFormat formats = FigureFormat.ofReader();

    TransferRow(TransferResult result) {
        this.result = result;
    }

    public String getStep() {
        return result.kind == TransferInfo.Operation.ARCHIVE
                ? Messages.TransferRow_archive()
                : BuildLogMessages.describe(result.kind, result.label);
    }

    /** Null if the transfer was completed. */
    @CheckForNull
    public String getTrouble() {
        return switch (result.outcome) {
            case COMPLETED -> null;
            case FAILED ->
                result.failure == null ? Messages.TransferRow_failed() : Messages.TransferRow_failedAs(result.failure);
            case ABORTED -> Messages.TransferRow_aborted();
            case DISCONNECTED -> Messages.TransferRow_disconnected();
            case DAMAGED -> Messages.TransferRow_damaged();
        };
    }

    /** Whether there are details beyond the row. */
    public boolean isCompleted() {
        return result.stageTimes != null;
    }

    public String getCodecs() {
        return BuildLogMessages.codecs(result, formats);
    }

    public String getRoute() {
        String way = BuildLogMessages.path(result, formats);
        return way.isEmpty() ? Messages.TransferRow_channel() : way;
    }

    /** Empty if nothing limited the transfer for half of its time. */
    public String getLimit() {
        return BuildLogMessages.limit(result, formats);
    }

    /** The share that was in an earlier build; empty if there is none. */
    public String getReused() {
        return result.reusedBytes == 0
                ? ""
                : Messages.TransferRow_reused(formats.bytes(result.reusedBytes), String.valueOf(result.referenceBuild));
    }

    /** Of the ends whose CPU time is known. */
    public String getCpu() {
        boolean isToAgent = result.kind.isToAgent();
        String agent = formats.time(isToAgent ? result.receivingCpu : result.sendingCpu);
        String controller = formats.time(isToAgent ? result.sendingCpu : result.receivingCpu);
        if (agent.isEmpty()) {
            return controller.isEmpty() ? "" : Messages.TransferRow_cpuOfController(controller);
        }
        return controller.isEmpty()
                ? Messages.TransferRow_cpuOfAgent(agent)
                : Messages.TransferRow_cpu(agent, controller);
    }

    /**
     * A stage and its bar.
     *
     * @param symbol end of a CSS class
     * @param label  its name and time
     * @param width  hundredths of the transfer's time, as SVG has them
     */
    public record BarSegment(String symbol, String label, String width) {}

    /** Stages that were busy for one per cent of the time or more. */
    public List<BarSegment> getParts() {
        List<BarSegment> parts = new ArrayList<>();
        if (result.stageTimes != null) {
            for (Stage stage : Stage.values()) {
                long millis = result.stageTimes.of(stage);
                if (millis > 0 && millis * 100 >= result.duration) {
                    parts.add(new BarSegment(
                            stage.name().toLowerCase(Locale.ROOT),
                            Messages.TransferRow_stage(
                                    name(stage), formats.time(millis), formats.ratio(millis, result.duration)),
                            String.format(Locale.ROOT, "%.2f", 100.0 * millis / result.duration)));
                }
            }
        }
        return parts;
    }

    private static String name(Stage stage) {
        return switch (stage) {
            case READING -> Messages.TransferRow_reading();
            case COMPRESSING -> Messages.TransferRow_compressing();
            case LINK -> Messages.TransferRow_network();
            case DECODING -> Messages.TransferRow_decompressing();
            case WRITING -> Messages.TransferRow_writing();
        };
    }
}
