package io.jenkins.plugins.compressionaware.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Lets ways take turns, so that what happens on the machine meanwhile hits all of them. */
final class Rounds {
    private final int count;
    private final Progress progress;
    private final List<Turn> turns = new ArrayList<>();

    Rounds(int count, Progress progress) {
        this.count = count;
        this.progress = progress;
    }

    /** One run of a way. */
    interface Run {
        /**
         * @param round from 0
         */
        Sample run(int round) throws IOException, InterruptedException;
    }

    private record Turn(Row row, Run run) {}

    void add(Row row, Run run) {
        turns.add(new Turn(row, run));
    }

    /** Runs every way once and forgets what it has cost. */
    Rounds warmUp() throws IOException, InterruptedException {
        for (Turn turn : turns) {
            turn.run().run(0);
        }
        return this;
    }

    /** Runs all rounds and returns the rows, with their samples. */
    List<Row> run() throws IOException, InterruptedException {
        turns.stream().findFirst().ifPresent(first -> progress.say(
                "%s: %s, %d times each ...",
                first.row().data(),
                turns.stream().map(turn -> turn.row().way()).distinct().collect(Collectors.joining(", ")),
                count));
        for (int round = 0; round < count; round++) {
            for (Turn turn : turns) {
                turn.row().samples().add(turn.run().run(round));
            }
        }
        List<Row> rows = turns.stream().map(Turn::row).toList();
        for (Row row : rows) {
            row.wall()
                    .ifPresent(wall -> progress.say(
                            "%-18s %-7s %-10s %8.3f s (%.3f to %.3f)",
                            row.link(), row.data(), row.way(), wall.median(), wall.min(), wall.max()));
        }
        return rows;
    }
}
