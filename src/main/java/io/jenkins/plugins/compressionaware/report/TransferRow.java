package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A row of a build's table of transfers, with its expandable details, in the language of the current request. */
@Restricted(NoExternalUse.class)
public final class TransferRow {
    public final TransferResult result;
    private final FigureFormat formats = FigureFormat.ofReader();

    TransferRow(TransferResult result) {
        this.result = result;
    }

    public String getStep() {
        return result.operation == TransferInfo.Operation.ARCHIVE
                ? Messages.TransferRow_archive()
                : BuildLogMessages.describe(result.operation, result.label);
    }

    /** Returns the outcome of a transfer that was not completed; null if the transfer was completed. */
    @CheckForNull
    public String getFailure() {
        return switch (result.outcome) {
            case COMPLETED -> null;
            case FAILED ->
                result.failure == null ? Messages.TransferRow_failed() : Messages.TransferRow_failedAs(result.failure);
            case ABORTED -> Messages.TransferRow_aborted();
            case DISCONNECTED -> Messages.TransferRow_disconnected();
            case DAMAGED -> Messages.TransferRow_damaged();
        };
    }

    /** Returns whether the row has details. */
    public boolean isCompleted() {
        return result.stageTimes != null;
    }

    public String getCodecs() {
        return BuildLogMessages.codecs(result, formats);
    }

    public String getRoute() {
        String path = BuildLogMessages.path(result, formats);
        return path.isEmpty() ? Messages.TransferRow_channel() : path;
    }

    /** Returns the bottleneck; empty if no stage was busy for half of the transfer's time. */
    public String getLimit() {
        return BuildLogMessages.limit(result, formats);
    }

    /** Returns the bytes reused from another build; empty if there are none. */
    public String getReused() {
        return result.reusedBytes == 0
                ? ""
                : Messages.TransferRow_reused(formats.bytes(result.reusedBytes), String.valueOf(result.referenceBuild));
    }

    /** Returns the size of the packed archive; empty if files are stored. */
    public String getStored() {
        return result.storedBytes == 0 ? "" : BuildLogMessages.stored(result, formats);
    }

    /** Returns the CPU times of agent and controller, without unknown ones; empty if both are unknown. */
    public String getCpu() {
        boolean isToAgent = result.operation.isToAgent();
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
     * The bar of one stage.
     *
     * @param symbol suffix of the bar's CSS class
     * @param label  name and time of the stage
     * @param width  percentage of the transfer's time, as an SVG number
     */
    public record BarSegment(String symbol, String label, String width) {}

    /** Returns the bars of all stages that were busy for at least one percent of the transfer's time. */
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
