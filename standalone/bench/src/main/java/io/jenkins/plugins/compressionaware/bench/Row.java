package io.jenkins.plugins.compressionaware.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All runs of one way with the same data over the same link.
 *
 * @param section  which part of the benchmark it belongs to
 * @param link     what lies between the two ends
 * @param data     name of the data set
 * @param way      how the files were carried
 * @param rawBytes bytes of the files' contents
 * @param samples  one per round
 * @param remark   why there are no samples, or what else should be known; null if nothing
 */
record Row(Section section, String link, String data, String way, long rawBytes, List<Sample> samples, String remark) {
    /** Without samples yet. */
    Row(Section section, String link, String data, String way, long rawBytes) {
        this(section, link, data, way, rawBytes, new ArrayList<>(), null);
    }

    /** A way that cannot be measured here. */
    static Row missing(Section section, String link, String data, String way, String why) {
        return new Row(section, link, data, way, 0, List.of(), why);
    }

    /** One line: medians, in brackets the least and the greatest. */
    String describe() {
        StringBuilder line = new StringBuilder(String.format("%-31s %-14s %-17s", link, data, way));
        wall().ifPresent(s -> line.append(String.format(" %8.3f s (%.3f to %.3f)", s.median(), s.least(), s.greatest())));
        spread(Sample::agentCpu).ifPresent(s -> line.append(String.format(", CPU %.2f", s.median())));
        spread(Sample::controllerCpu).ifPresent(s -> line.append(String.format(" + %.2f", s.median())));
        line.append(operations().isEmpty() ? "" : ", asked of the disk: " + operations());
        if (samples.stream().anyMatch(sample -> sample.loading() != null)) {
            line.append(String.format(
                    ", %.0f classes, %.0f kB of them and %.0f kB of jars %s, calls %.0f to and %.0f from the agent, %.0f HTTP",
                    loading(Loading::classes),
                    loading(Loading::classBytes) / 1000,
                    loading(Loading::jarBytes) / 1000,
                    samples.get(samples.size() - 1).loading().jars(),
                    loading(Loading::told),
                    loading(Loading::asked),
                    loading(Loading::requests)));
        }
        return line.toString();
    }

    /** What the disk was asked to do in the last round; empty if nobody has counted. */
    String operations() {
        return samples.stream()
                .map(Sample::operations)
                .filter(Objects::nonNull)
                .reduce((earlier, later) -> later)
                .stream()
                .flatMap(operations -> operations.entrySet().stream())
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Median of a figure that every sample has. */
    double loading(Function<Loading, Long> figure) {
        return spread(sample -> figure.apply(sample.loading())).orElseThrow().median();
    }

    /** How many times as fast as core with the same data over the same link; empty if core was not measured there. */
    Optional<Double> timesCore(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.way().equals("core") && row.data().equals(data) && row.link().equals(link))
                .findFirst()
                .flatMap(Row::wall)
                .flatMap(core -> wall().map(own -> core.median() / own.median()));
    }

    Optional<Spread> wall() {
        return spread(Sample::wallSeconds);
    }

    /** Of the runs in which it was measured; empty if there is none. */
    Optional<Spread> spread(Function<Sample, Number> figure) {
        double[] figures = samples.stream()
                .map(figure)
                .filter(Objects::nonNull)
                .mapToDouble(Number::doubleValue)
                .toArray();
        return figures.length == 0 ? Optional.empty() : Optional.of(new Spread(figures));
    }
}
