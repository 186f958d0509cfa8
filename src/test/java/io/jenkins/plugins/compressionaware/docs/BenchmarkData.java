package io.jenkins.plugins.compressionaware.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The figures of the benchmark, from the data file of the documentation. */
final class BenchmarkData {
    private static final int MAX_JSON = 100 << 20;

    private BenchmarkData() {}

    static List<Map<?, ?>> runs() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_JSON);
        // every JSON file is valid YAML
        try (var json = Files.newBufferedReader(Page.root().resolve("docs/data/benchmarks.json"))) {
            Map<String, List<Map<?, ?>>> report = new Yaml(new SafeConstructor(options)).load(json);
            return report.get("runs");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Map<?, ?>> rows(Map<?, ?> run) {
        return ((List<?>) run.get("rows"))
                .stream().<Map<?, ?>>map(row -> (Map<?, ?>) row).toList();
    }

    static double median(Map<?, ?> row, ToDoubleFunction<Map<?, ?>> figure) {
        double[] sorted = ((List<?>) row.get("samples"))
                .stream()
                        .mapToDouble(sample -> figure.applyAsDouble((Map<?, ?>) sample))
                        .sorted()
                        .toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    static double number(Map<?, ?> sample, String name) {
        return ((Number) sample.get(name)).doubleValue();
    }
}
