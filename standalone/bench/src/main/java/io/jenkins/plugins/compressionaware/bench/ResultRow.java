package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Distribution;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All runs of one way with the same data over the same link.
 *
 * @param section  section of the benchmark
 * @param link     link between the two ends
 * @param data     name of the data set
 * @param way      protocol and codec
 * @param rawBytes bytes of the files' contents
 * @param samples  one per round
 * @param remark   remark, or reason for missing samples; null if none
 */
record ResultRow(
        Section section, String link, String data, String way, long rawBytes, List<Sample> samples, String remark) {
    /** Data sets in words that need no explanation. */
    private static final Map<String, String> WORDS = Map.of(
            "random", "one compressed file",
            "text", "source files and logs",
            "small", "small files",
            "mix", "jars and source files",
            "fat-jar", "a jar of jars",
            "new-times", "a jar of jars with new timestamps",
            "distribution", "an unpacked product",
            "native", "a native binary",
            "tar-gz", "a `tar.gz`");

    /** Creates a row without samples. */
    ResultRow(Section section, String link, String data, String way, long rawBytes) {
        this(section, link, data, way, rawBytes, new ArrayList<>(), null);
    }

    /** Creates a row for a way that cannot be measured here. */
    static ResultRow missing(Section section, String link, String data, String way, String reason) {
        return new ResultRow(section, link, data, way, 0, List.of(), reason);
    }

    /** Returns a line with medians, and minimum and maximum in brackets. */
    String describe() {
        StringBuilder line = new StringBuilder(String.format("%-31s %-14s %-23s", link, data, way));
        wall().ifPresent(s -> line.append(
                String.format(" %8.3f s (%.3f to %.3f), CPU %s", s.median(), s.least(), s.greatest(), cpu())));
        line.append(operations().isEmpty() ? "" : ", disk operations: " + operations());
        line.append(samples.stream().allMatch(sample -> sample.loading == null) ? "" : ", loaded: " + loaded());
        return line.toString();
    }

    /** Returns the median CPU seconds of agent and controller. The row must have samples. */
    String cpu() {
        return String.format("%.2f + %.2f", median(sample -> sample.agentCpu), median(sample -> sample.controllerCpu));
    }

    /** Returns the lengths of the stored files and the number of inodes or objects, or an empty text if they were not counted. */
    String storage() {
        if (samples.stream().anyMatch(sample -> sample.diskBytes == null)) {
            return "";
        }
        double megabytes = median(sample -> sample.diskBytes) / 1e6;
        String size = String.format(megabytes < 1 ? "%.2f MB" : megabytes < 999.5 ? "%.3g MB" : "%,.0f MB", megabytes);
        if (samples.stream().allMatch(sample -> sample.inodes != null)) {
            return String.format("<br>disk %s, %,.0f inodes", size, median(sample -> sample.inodes));
        }
        double objects = median(sample -> sample.objects);
        return String.format("<br>store %s, %,.0f object%s", size, objects, objects == 1 ? "" : "s");
    }

    /** Returns the number of disk operations in the last round, or an empty text if they were not counted. */
    String operations() {
        return samples.stream()
                .map(sample -> sample.operations)
                .filter(Objects::nonNull)
                .reduce((earlier, later) -> later)
                .stream()
                .flatMap(operations -> operations.entrySet().stream())
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Returns the loaded classes; kB of classes and of jars; remote calls to and from the agent. */
    String loaded() {
        return String.format(
                "%.0f; %.0f, %.0f; %.0f + %.0f",
                median(sample -> sample.loading.classes()),
                median(sample -> sample.loading.classBytes()) / 1000,
                median(sample -> sample.loading.jarBytes()) / 1000,
                median(sample -> sample.loading.callsToAgent()),
                median(sample -> sample.loading.callsFromAgent()));
    }

    private double median(Function<Sample, Number> figure) {
        return Distribution.of(samples, figure).orElseThrow().median();
    }

    /** Returns words for the data set with its size, unless the name is a size. */
    String sizedData() {
        String format = rawBytes < 10_000_000 ? ", %.1f MB" : ", %,.0f MB";
        return rawBytes == 0 || Character.isDigit(data.charAt(0))
                ? words(data)
                : words(data) + String.format(format, rawBytes / 1e6);
    }

    /** Returns words for a data set or one of its builds. */
    static String words(String data) {
        if (data.matches("small, [0-9,]+ files")) {
            return data.replaceFirst("small, ([0-9,]+) files", "$1 small files");
        }
        String name = data.split(",", 2)[0];
        return WORDS.getOrDefault(name, name) + data.substring(name.length());
    }

    /** Returns the median of the MB sent; 0 if they were not counted. */
    double megabytes() {
        return median(sample -> sample.wireBytes) / 1e6;
    }

    Optional<Distribution> wall() {
        return Distribution.of(samples, sample -> sample.wallSeconds);
    }
}
