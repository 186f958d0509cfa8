package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A transfer as a row of a table, with the details that open below it, in the reader's language. */
@Restricted(NoExternalUse.class)
public final class TransferRow {
    public final TransferResult result;
    private final Formats formats = Formats.ofReader();

    TransferRow(TransferResult result) {
        this.result = result;
    }

    public String getStep() {
        return result.kind == Transfer.Kind.ARCHIVE
                ? Messages.TransferRow_archive()
                : LogLine.what(result.kind, result.stash);
    }

    /** Null if the transfer was completed. */
    @CheckForNull
    public String getTrouble() {
        return switch (result.outcome) {
            case COMPLETED -> null;
            case FAILED -> Messages.TransferRow_failed();
            case ABORTED -> Messages.TransferRow_aborted();
            case DISCONNECTED -> Messages.TransferRow_disconnected();
            case DAMAGED -> Messages.TransferRow_damaged();
        };
    }

    /** The stage that took longest; a dash if that is not known. */
    public String getLimit() {
        return limit(List.of(result));
    }

    static String limit(List<TransferResult> results) {
        Map<Stage, Long> millis = new EnumMap<>(Stage.class);
        for (TransferResult result : results) {
            if (result.busy != null && result.busy.isWhole()) {
                for (Stage stage : Stage.values()) {
                    millis.merge(stage, result.busy.of(stage), Long::sum);
                }
            }
        }
        return millis.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(longest -> name(longest.getKey()))
                .orElse(Formats.UNKNOWN);
    }

    private static String name(Stage stage) {
        return switch (stage) {
            case READING -> Messages.TransferRow_reading();
            case COMPRESSING -> Messages.TransferRow_compressing();
            case LINK -> Messages.TransferRow_link();
            case DECODING -> Messages.TransferRow_decoding();
            case WRITING -> Messages.TransferRow_writing();
        };
    }

    /** Whether there are details beyond the row. */
    public boolean isCompleted() {
        return result.busy != null;
    }

    public String getCodecs() {
        return LogLine.codecs(result, formats);
    }

    public String getWay() {
        String way = LogLine.way(result, formats);
        return way.isEmpty() ? Messages.TransferRow_channel() : way;
    }

    /** The share that was in an earlier build; empty if there is none. */
    public String getEarlier() {
        return result.earlierBytes == 0
                ? ""
                : Messages.TransferRow_earlier(formats.bytes(result.earlierBytes), String.valueOf(result.earlierBuild));
    }

    public String getCpu() {
        return Messages.TransferRow_cpu(formats.time(result.sendingCpu), formats.time(result.receivingCpu));
    }

    /**
     * A stage in the bar of all stages.
     *
     * @param symbol end of a CSS class
     * @param label  its name and time
     * @param start  hundredths of the bar before it, as SVG has them
     * @param width  hundredths of the bar
     */
    public record Part(String symbol, String label, String start, String width) {}

    /** Stages that took any time. */
    public List<Part> getParts() {
        List<Part> parts = new ArrayList<>();
        if (result.busy == null) {
            return parts;
        }
        long all = 0;
        for (Stage stage : Stage.values()) {
            all += result.busy.of(stage);
        }
        double start = 0;
        for (Stage stage : Stage.values()) {
            long millis = result.busy.of(stage);
            if (millis > 0) {
                double width = 100.0 * millis / all;
                parts.add(new Part(
                        stage.name().toLowerCase(Locale.ROOT),
                        name(stage) + " " + formats.time(millis),
                        String.format(Locale.ROOT, "%.2f", start),
                        String.format(Locale.ROOT, "%.2f", width)));
                start += width;
            }
        }
        return parts;
    }
}
