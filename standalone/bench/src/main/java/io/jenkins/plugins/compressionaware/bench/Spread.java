package io.jenkins.plugins.compressionaware.bench;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/** Median and extremes of some figures. */
record Spread(double median, double min, double max) {
    /** Of those that are not null; empty if all are. */
    static Optional<Spread> of(Collection<? extends Number> figures) {
        double[] sorted = figures.stream()
                .filter(Objects::nonNull)
                .mapToDouble(Number::doubleValue)
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return Optional.empty();
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1]));
    }
}
