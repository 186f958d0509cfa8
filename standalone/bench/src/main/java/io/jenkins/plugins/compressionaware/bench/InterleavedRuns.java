package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs several ways in turn, so that other load on the machine affects all of them. */
final class InterleavedRuns {
    private final int count;
    private final List<Turn> turns = new ArrayList<>();

    InterleavedRuns(int count) {
        this.count = count;
    }

    /** Consecutive runs of a way, each with a row in the report. */
    interface Series {
        /** @param round from 0 */
        List<Sample> run(int round) throws IOException, InterruptedException;
    }

    private record Turn(List<ResultRow> rows, Series run) {}

    void add(List<ResultRow> rows, Series run) {
        turns.add(new Turn(rows, run));
    }

    /** Runs all rounds, and returns the rows with their samples. */
    List<ResultRow> run() throws IOException, InterruptedException {
        String ways = turns.stream()
                .map(turn -> turn.rows().get(0).way())
                .distinct()
                .collect(Collectors.joining(", "));
        turns.stream().findFirst().ifPresent(first ->
                Bench.log("%s: %s, %d times each ...", first.rows().get(0).data(), ways, count));
        for (int round = 0; round < count; round++) {
            for (Turn turn : turns) {
                List<Sample> samples = turn.run().run(round);
                for (int i = 0; i < samples.size(); i++) {
                    turn.rows().get(i).samples().add(samples.get(i));
                }
            }
        }
        List<ResultRow> rows =
                turns.stream().flatMap(turn -> turn.rows().stream()).toList();
        rows.forEach(row -> Bench.log("%s", row.describe()));
        return rows;
    }
}
