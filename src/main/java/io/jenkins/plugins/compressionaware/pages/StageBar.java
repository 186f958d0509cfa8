package io.jenkins.plugins.compressionaware.pages;

import io.jenkins.plugins.compressionaware.report.Amounts;
import io.jenkins.plugins.compressionaware.report.StageFigures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jvnet.localizer.LocaleProvider;

/** Where the time of a transfer went: a bar of five parts, and the same in words. */
public final class StageBar {
    /** The stages, in the order of the bar. The symbol is the end of a CSS class. */
    public enum Stage {
        READING("reading", Messages::StageBar_reading),
        COMPRESSING("compressing", Messages::StageBar_compressing),
        LINK("link", Messages::StageBar_link),
        DECODING("decoding", Messages::StageBar_decoding),
        WRITING("writing", Messages::StageBar_writing);

        private final String symbol;
        private final Supplier<String> name;

        Stage(String symbol, Supplier<String> name) {
            this.symbol = symbol;
            this.name = name;
        }

        public String getSymbol() {
            return symbol;
        }

        public String getLabel() {
            return name.get();
        }

        private long millis(StageFigures busy) {
            return switch (this) {
                case READING -> busy.reading;
                case COMPRESSING -> busy.compressing;
                case LINK -> busy.link;
                case DECODING -> busy.decoding;
                case WRITING -> busy.writing;
            };
        }
    }

    /**
     * One part.
     *
     * @param start hundredths of the bar before it
     * @param width hundredths of the bar
     */
    public record Part(Stage stage, long millis, double start, double width) {
        public String getSymbol() {
            return stage.symbol;
        }

        /** Its name and seconds. */
        public String getLabel() {
            return Messages.StageBar_part(stage.getLabel(), Amounts.number(millis / 1e3, LocaleProvider.getLocale()));
        }

        /** For SVG. */
        public String getStart() {
            return String.format(Locale.ROOT, "%.2f", start);
        }

        /** For SVG. */
        public String getWidth() {
            return String.format(Locale.ROOT, "%.2f", width);
        }
    }

    private final List<Part> parts = new ArrayList<>();

    StageBar(StageFigures busy) {
        long all = 0;
        for (Stage stage : Stage.values()) {
            all += stage.millis(busy);
        }
        double start = 0;
        for (Stage stage : Stage.values()) {
            long millis = stage.millis(busy);
            if (millis > 0) {
                double width = 100.0 * millis / all;
                parts.add(new Part(stage, millis, start, width));
                start += width;
            }
        }
    }

    /** Those that took any time. */
    public List<Part> getParts() {
        return parts;
    }

    /** All parts in words. */
    public String getText() {
        return parts.stream().map(Part::getLabel).collect(Collectors.joining(", "));
    }

    /** The longest part in words; empty if none took any time. */
    public String getBottleneck() {
        return parts.stream()
                .max(Comparator.comparingLong(Part::millis))
                .map(Part::getLabel)
                .orElse("");
    }
}
