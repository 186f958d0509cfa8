package io.jenkins.plugins.compressionaware.demo;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Sorted values of one figure in several runs. */
public record Distribution(double... figures) {
    public Distribution {
        figures = figures.clone();
        Arrays.sort(figures);
    }

    /** Returns the values of runs that have measured the figure, or empty if no run has. */
    public static Optional<Distribution> of(Collection<Sample> samples, Function<Sample, Number> figure) {
        double[] figures = samples.stream()
                .map(figure)
                .filter(Objects::nonNull)
                .mapToDouble(Number::doubleValue)
                .toArray();
        return figures.length == 0 ? Optional.empty() : Optional.of(new Distribution(figures));
    }

    public double median() {
        return (figures[(figures.length - 1) / 2] + figures[figures.length / 2]) / 2;
    }

    public double least() {
        return figures[0];
    }

    public double greatest() {
        return figures[figures.length - 1];
    }
}
