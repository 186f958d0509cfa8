package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.bench.Verdict.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the codec {@code auto}, with and without a direct lane, is to reach against core's default and other tools, and whether it has. Without
 * the rows that it needs, a target is left out.
 */
final class Targets {
    private static final String CORE = "core";
    private static final String CORE_NONE = "core-none";
    private static final String AUTO = "auto";
    private static final String COPY = "cp -r";
    private static final String SCP = "scp -r";
    private static final String TAR = "tar over TCP";

    /**
     * @param tcp       times faster, agent on TCP
     * @param webSocket the same, agent on WebSocket
     * @param cpu       share of core's CPU seconds
     * @param wire      share of core's wire bytes; for random data of the raw bytes
     */
    private record Limits(double tcp, double webSocket, double cpu, double wire) {}

    private static final Map<String, Limits> ARCHIVE = Map.of(
            "random", new Limits(6, 5, 1 / 5.0, 1.01),
            "jars", new Limits(6, 5, 1 / 5.0, 1.03),
            "text", new Limits(6, 6, 1 / 5.0, 1.15),
            "small", new Limits(3, 3, 1 / 2.0, 1.15),
            "mix", new Limits(6, 5, 1 / 5.0, 1.15));

    /**
     * With a direct lane, against core over WebSocket.
     *
     * @param faster times faster
     * @param cpu    share of core's CPU seconds
     */
    private record DirectLimits(double faster, double cpu) {}

    private static final Map<String, DirectLimits> DIRECT_LANE = Map.of(
            "random", new DirectLimits(20, 1 / 15.0),
            "jars", new DirectLimits(12, 1 / 10.0),
            "text", new DirectLimits(8, 1 / 5.0));

    /** Of {@code tar} over a bare TCP connection, for random data. */
    private static final double TIMES_OF_TAR = 1.6;

    /** Of a local {@code cp -r}, for small files. */
    private static final double TIMES_OF_COPY = 3;

    /** Seconds that the first archive of a fresh agent may take longer than core's. */
    private static final Map<String, Double> COLD = Map.of("10 KB", 0.2, "5 MB", 0.0, "100 MB", 0.0);

    /** Core's time divided by that of {@code auto}, with a round trip of 100 ms. */
    private static final double FAR = 3.5;

    private final List<Row> rows;
    private final List<Verdict> verdicts = new ArrayList<>();

    private Targets(List<Row> rows) {
        this.rows = rows;
    }

    static List<Verdict> check(List<Row> rows) {
        Targets targets = new Targets(rows);
        rows.stream()
                .filter(row -> isAuto(row) && row.section() != Section.LINKS)
                .forEach(targets::check);
        return targets.verdicts;
    }

    static boolean isAuto(Row row) {
        return row.way().equals(AUTO) || isDirect(row);
    }

    private static boolean isDirect(Row row) {
        return row.way().equals(JenkinsBench.DIRECT);
    }

    private void check(Row auto) {
        switch (auto.section()) {
            case ARCHIVE -> {
                if (isDirect(auto)) {
                    direct(auto);
                } else {
                    archive(auto);
                }
            }
            case COLD -> cold(auto);
            case SHAPED -> shaped(auto);
            default -> {
                // nothing was asked of these
            }
        }
    }

    private void archive(Row auto) {
        Limits limits = ARCHIVE.get(auto.data());
        other(auto, CORE).ifPresent(core -> {
            double faster = auto.link().equals(Transport.TCP.title()) ? limits.tcp() : limits.webSocket();
            add(auto, "times faster than core", faster, Bound.AT_LEAST, ratio(core, auto, Row::wall));
            add(auto, "CPU seconds as a share of core's", limits.cpu(), Bound.AT_MOST, ratio(auto, core, Row::cpu));
            if (auto.data().equals("random")) {
                double wire = auto.wire().orElseThrow().median();
                add(auto, "wire bytes as a share of raw", limits.wire(), Bound.AT_MOST, wire / auto.rawBytes());
            } else {
                double share = ratio(auto, core, Row::wire);
                add(auto, "wire bytes as a share of core's", limits.wire(), Bound.AT_MOST, share);
            }
        });
        other(auto, CORE_NONE)
                .ifPresent(core -> add(
                        auto, "times faster than core uncompressed", 1, Bound.AT_LEAST, ratio(core, auto, Row::wall)));
        if (auto.data().equals("small")) {
            timesOf(COPY, auto, TIMES_OF_COPY);
        }
    }

    private void direct(Row auto) {
        DirectLimits limits = DIRECT_LANE.get(auto.data());
        if (limits != null && auto.link().equals(Transport.WEBSOCKET.title())) {
            other(auto, CORE).ifPresent(core -> {
                add(auto, "times faster than core", limits.faster(), Bound.AT_LEAST, ratio(core, auto, Row::wall));
                add(auto, "CPU seconds as a share of core's", limits.cpu(), Bound.AT_MOST, ratio(auto, core, Row::cpu));
            });
        }
        timesOf(SCP, auto, 1);
        if (auto.data().equals("random")) {
            timesOf(TAR, auto, TIMES_OF_TAR);
        }
    }

    private void timesOf(String tool, Row auto, double limit) {
        rows.stream()
                .filter(row -> row.section() == Section.TOOLS
                        && row.way().equals(tool)
                        && row.data().equals(auto.data())
                        && !row.samples().isEmpty())
                .forEach(other ->
                        add(auto, "time in times of " + tool, limit, Bound.AT_MOST, ratio(auto, other, Row::wall)));
    }

    private void cold(Row auto) {
        other(auto, CORE)
                .ifPresent(core -> add(
                        auto,
                        "seconds longer than core, first archive",
                        COLD.get(auto.data()),
                        Bound.AT_MOST,
                        median(auto, Row::wall) - median(core, Row::wall)));
    }

    private void shaped(Row auto) {
        double limit = auto.link().contains(Shape.FAR.name()) ? FAR : 1;
        other(auto, CORE)
                .ifPresent(core ->
                        add(auto, "times faster than core", limit, Bound.AT_LEAST, ratio(core, auto, Row::wall)));
    }

    private void add(Row auto, String what, double limit, Bound bound, double measured) {
        verdicts.add(new Verdict(auto.way() + ", " + auto.data() + ", " + auto.link() + ", " + what, limit, bound, measured));
    }

    private Optional<Row> other(Row auto, String way) {
        return rows.stream()
                .filter(row -> row.way().equals(way)
                        && row.section() == auto.section()
                        && row.link().equals(auto.link())
                        && row.data().equals(auto.data()))
                .findFirst();
    }

    private static double ratio(Row above, Row below, Function<Row, Optional<Spread>> figure) {
        return median(above, figure) / median(below, figure);
    }

    private static double median(Row row, Function<Row, Optional<Spread>> figure) {
        return figure.apply(row).orElseThrow().median();
    }
}
