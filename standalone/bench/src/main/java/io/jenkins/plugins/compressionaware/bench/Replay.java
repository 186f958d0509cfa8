package io.jenkins.plugins.compressionaware.bench;

import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What others reported, measured again: each is a JMH benchmark.
 *
 * @param question the benchmark's class
 * @param variant  its method and parameters
 * @param score    milliseconds for one operation
 * @param error    half of the interval in which the mean lies with 99.9 %, the same; not a number with few iterations
 */
record Replay(String question, String variant, double score, double error) {
    static List<Replay> measure(Path repository) {
        var options = new OptionsBuilder()
                .include("Replay\\.")
                .jvmArgsAppend("-Dbench.maven.repository=" + repository)
                .verbosity(VerboseMode.SILENT);
        try {
            return new Runner(options.build()).run().stream().map(Replay::of).toList();
        } catch (RunnerException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Replay of(RunResult result) {
        String[] name = result.getParams().getBenchmark().split("\\.");
        StringBuilder variant = new StringBuilder(name[name.length - 1]);
        for (String key : result.getParams().getParamsKeys()) {
            variant.append(' ').append(result.getParams().getParam(key));
        }
        return new Replay(
                name[name.length - 2],
                variant.toString(),
                result.getPrimaryResult().getScore(),
                result.getPrimaryResult().getScoreError());
    }
}
