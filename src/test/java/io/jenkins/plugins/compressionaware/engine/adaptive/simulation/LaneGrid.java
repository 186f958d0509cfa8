package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneSimulation.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/** The cases of {@link LaneSimulation} and {@link DownloadSimulation}: each kind of network with several rates, round trips and frames. */
final class LaneGrid {
    private static final int BLOCK = 256 * 1024;

    /** Bytes of a frame that are not of its block. */
    private static final int HEADER = 40;

    private static final double[] MEGABYTES_PER_SECOND = {0.25, 1.25, 10, 125, 1250};
    private static final double[] MILLIS = {0.1, 1, 3, 10, 30, 100};

    private LaneGrid() {}

    /** Directions of transfers, seen from the agent. */
    enum Direction {
        UPLOAD(LaneSimulation::run),
        DOWNLOAD(DownloadSimulation::run);

        private final BiFunction<LaneScenario, Rule, LaneSimulation.Result> simulation;

        Direction(BiFunction<LaneScenario, Rule, LaneSimulation.Result> simulation) {
            this.simulation = simulation;
        }
    }

    /** Networks between agent and controller. */
    enum Kind {
        ONE_LINE,
        SHARED_CHANNEL,
        DELAY_OF_1_S,
        ONE_REQUEST_PER_SECOND,
        FIVE_REQUESTS_PER_SECOND,
        REFUSED_REQUESTS,
        REFUSED_CONTENT,
        SLOW_CHANNEL,
        HALF_EACH
    }

    /**
     * Seconds of one case by each rule.
     *
     * @param sent bytes sent over bytes of the frames
     */
    record Row(LaneScenario scenario, double streams, double before, double balanced, double sent) {
        /** Returns the time of the faster of {@link Rule#STREAMS} and {@link Rule#BEFORE}. */
        double best() {
            return Math.min(streams, before);
        }

        double beforeOverBest() {
            return before / best();
        }

        double balancedOverBest() {
            return balanced / best();
        }

        boolean isLong() {
            return best() >= 1;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%.3f: streams %.2f s, before %.2f s, balanced %.2f s, sent %.3f, %s",
                    balancedOverBest(),
                    streams,
                    before,
                    balanced,
                    sent,
                    scenario);
        }
    }

    static List<Row> rows(Direction direction, Kind kind, long bytes, int transfers) {
        List<Row> rows = new ArrayList<>();
        for (double rate : MEGABYTES_PER_SECOND) {
            for (double millis : MILLIS) {
                LaneScenario noise = scenario(kind, rate / 1e3, millis * 1e6, transfers, false, bytes);
                rows.add(row(direction, direction == Direction.UPLOAD ? noise : ofRanges(noise)));
                LaneScenario text = scenario(kind, rate / 1e3, millis * 1e6, transfers, true, bytes);
                rows.add(row(direction, direction == Direction.UPLOAD ? text : ofRanges(text)));
            }
        }
        return rows;
    }

    /** @param text whether frames are small, and the source is slow */
    private static LaneScenario scenario(
            Kind kind, double rate, double roundTrip, int transfers, boolean text, long bytes) {
        int length = text ? 20_000 : BLOCK + HEADER;
        double limit =
                switch (kind) {
                    case ONE_REQUEST_PER_SECOND -> 1;
                    case FIVE_REQUESTS_PER_SECOND -> 5;
                    case REFUSED_REQUESTS -> 10;
                    default -> 0;
                };
        double half = kind == Kind.HALF_EACH ? rate / 2 : 0;
        return new LaneScenario(
                rate,
                kind == Kind.SLOW_CHANNEL ? rate / 10 : half,
                half,
                roundTrip,
                kind == Kind.DELAY_OF_1_S ? 1e9 : 0,
                limit,
                kind == Kind.REFUSED_REQUESTS ? 1 : 20,
                kind == Kind.REFUSED_CONTENT ? 32 : 0,
                kind == Kind.SHARED_CHANNEL,
                transfers,
                text ? 500_000 : BLOCK,
                length,
                (int) (bytes / length));
    }

    /** Returns a scenario with the ranges that have about the bytes of given frames. */
    private static LaneScenario ofRanges(LaneScenario frames) {
        double factor = (double) frames.frameLength() / DownloadSimulation.RANGE;
        return new LaneScenario(
                frames.link(),
                frames.channelLink(),
                frames.directLink(),
                frames.roundTrip(),
                frames.requestDelay(),
                frames.requestsPerSecond(),
                frames.burst(),
                (int) (frames.refusedEvery() * factor),
                frames.sharedChannel(),
                frames.transfers(),
                frames.frameNanos() / factor,
                DownloadSimulation.RANGE,
                (int) (frames.frames() * factor));
    }

    private static Row row(Direction direction, LaneScenario scenario) {
        double bytes = (double) scenario.frames() * scenario.frameLength() * scenario.transfers();
        // far agents get no offer of direct lanes
        boolean far = scenario.roundTrip() > 30e6;
        LaneSimulation.Result balanced = direction.simulation.apply(scenario, far ? Rule.STREAMS : Rule.BALANCED);
        return new Row(
                scenario,
                direction.simulation.apply(scenario, Rule.STREAMS).seconds(),
                direction
                        .simulation
                        .apply(scenario, far ? Rule.STREAMS : Rule.BEFORE)
                        .seconds(),
                balanced.seconds(),
                balanced.wire() / bytes);
    }

    static double mean(List<Row> rows, ToDoubleFunction<Row> value) {
        return rows.stream().mapToDouble(value).average().orElseThrow();
    }

    static double most(List<Row> rows, ToDoubleFunction<Row> value) {
        return rows.stream().mapToDouble(value).max().orElseThrow();
    }

    /** Prints a line for each kind: the figures of the table, the worst long case, and the numbers of cases and long cases that are more than 3 % slower. */
    public static void main(String[] args) {
        Direction direction = Direction.valueOf(args[0].toUpperCase(Locale.ROOT));
        for (Kind kind : Kind.values()) {
            List<Row> rows = rows(direction, kind, Long.parseLong(args[1]), Integer.parseInt(args[2]));
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %.1f | %.3f | %.3f | %.3f | %.3f | %d | %d |%n",
                    kind,
                    mean(rows, Row::beforeOverBest),
                    most(rows, Row::beforeOverBest),
                    mean(rows, Row::balancedOverBest),
                    most(rows, Row::balancedOverBest),
                    most(rows, Row::sent),
                    rows.stream()
                            .filter(Row::isLong)
                            .mapToDouble(Row::balancedOverBest)
                            .max()
                            .orElse(0),
                    rows.stream().filter(row -> row.balancedOverBest() > 1.03).count(),
                    rows.stream()
                            .filter(row -> row.isLong() && row.balancedOverBest() > 1.03)
                            .count());
            rows.stream()
                    .sorted(Comparator.comparingDouble(Row::balancedOverBest).reversed())
                    .limit(2)
                    .forEach(row -> System.out.println("    " + row));
        }
    }
}
