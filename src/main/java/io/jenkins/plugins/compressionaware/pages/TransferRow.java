package io.jenkins.plugins.compressionaware.pages;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.report.Amounts;
import io.jenkins.plugins.compressionaware.report.CodecFigures;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.TransferFigures;
import io.jenkins.plugins.compressionaware.report.TransferFigures.Outcome;
import java.util.stream.Collectors;
import org.jvnet.localizer.LocaleProvider;

/** A transfer as a row of a table, in the reader's language. What is not known is a dash. */
public final class TransferRow {
    static final String UNKNOWN = "\u2013";

    private final TransferFigures figures;

    TransferRow(TransferFigures figures) {
        this.figures = figures;
    }

    public String getStep() {
        return switch (figures.kind) {
            case ARCHIVE -> Messages.TransferRow_archive();
            case STASH -> Messages.TransferRow_stash(figures.stash);
            case UNSTASH -> Messages.TransferRow_unstash(figures.stash);
            case FETCH -> Messages.TransferRow_fetch(figures.stash);
        };
    }

    /** Null of a transfer that was completed. */
    @CheckForNull
    public String getTrouble() {
        return switch (figures.outcome) {
            case COMPLETED -> null;
            case FAILED -> Messages.TransferRow_failed();
            case ABORTED -> Messages.TransferRow_aborted();
        };
    }

    public String getAgent() {
        return figures.agent.isEmpty() ? UNKNOWN : figures.agent;
    }

    public String getFiles() {
        return isCompleted() || figures.files > 0
                ? String.format(LocaleProvider.getLocale(), "%,d", figures.files)
                : UNKNOWN;
    }

    public String getRaw() {
        return isCompleted() ? bytes(figures.rawBytes) : UNKNOWN;
    }

    public String getWire() {
        return bytes(figures.wireBytes);
    }

    public String getRatio() {
        return isCompleted() ? ratio(figures.wireBytes, figures.rawBytes) : UNKNOWN;
    }

    /** Share and name of each codec, most bytes first. */
    public String getCodecs() {
        long all = figures.codecs.stream().mapToLong(codec -> codec.rawBytes).sum();
        return figures.codecs.isEmpty()
                ? UNKNOWN
                : figures.codecs.stream()
                        .filter(codec -> codec.rawBytes * 200 >= all)
                        .map(codec -> figures.codecs.size() == 1 ? name(codec) : share(codec, all))
                        .collect(Collectors.joining(", "));
    }

    private static String share(CodecFigures codec, long all) {
        return Messages.TransferRow_share(Math.round(100.0 * codec.rawBytes / all), name(codec));
    }

    private static String name(CodecFigures codec) {
        return codec.level > 0 ? codec.codec + " " + codec.level : codec.codec;
    }

    /** Why {@code auto} chose them; who prescribed them is in the build log. */
    public String getWhy() {
        if (figures.codecs.isEmpty()) {
            return "";
        }
        return figures.limit == null
                ? Messages.TransferRow_prescribed()
                : "auto: " + LogLine.because(new Reason(figures.limit, figures.limitRate), LocaleProvider.getLocale());
    }

    public String getWay() {
        if (figures.directBytes == 0) {
            return Messages.TransferRow_channel(figures.lanes);
        }
        return figures.directBytes >= figures.wireBytes
                ? Messages.TransferRow_direct(figures.connections)
                : Messages.TransferRow_both(
                        Math.round(100.0 * figures.directBytes / figures.wireBytes), figures.connections);
    }

    public String getSeconds() {
        return seconds(figures.duration);
    }

    public String getSpeed() {
        return isCompleted() ? speed(figures.rawBytes, figures.duration) : UNKNOWN;
    }

    /** Of the sending and of the receiving end. */
    public String getCpu() {
        return isCompleted() ? cpu(figures.sendingCpu) + " + " + cpu(figures.receivingCpu) : UNKNOWN;
    }

    /** Null of a transfer that was not completed. */
    @CheckForNull
    public StageBar getBar() {
        return figures.busy == null ? null : new StageBar(figures.busy);
    }

    private boolean isCompleted() {
        return figures.outcome == Outcome.COMPLETED;
    }

    private static String cpu(long millis) {
        return millis < 0 ? UNKNOWN : seconds(millis);
    }

    static String bytes(long bytes) {
        return Amounts.bytes(bytes, LocaleProvider.getLocale());
    }

    static String seconds(long millis) {
        return Amounts.number(millis / 1e3, LocaleProvider.getLocale());
    }

    static String ratio(long wireBytes, long rawBytes) {
        if (rawBytes == 0) {
            return UNKNOWN;
        }
        double ratio = (double) wireBytes / rawBytes;
        return String.format(LocaleProvider.getLocale(), ratio < 0.01 ? "%.4f" : ratio < 0.1 ? "%.3f" : "%.2f", ratio);
    }

    /** MB/s. */
    static String speed(long rawBytes, long millis) {
        return millis == 0 ? UNKNOWN : Amounts.number(rawBytes / 1e3 / millis, LocaleProvider.getLocale());
    }
}
