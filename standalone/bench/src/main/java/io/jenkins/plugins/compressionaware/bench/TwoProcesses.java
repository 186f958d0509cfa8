package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.AgentProcess;
import io.jenkins.plugins.compressionaware.demo.Controller;
import io.jenkins.plugins.compressionaware.demo.Measurement;
import io.jenkins.plugins.compressionaware.demo.Order;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.demo.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The engine and core's stream between two JVMs over shaped links, without Jenkins. */
final class TwoProcesses {
    private static final List<Way> WAYS =
            Arrays.stream(Way.values()).filter(way -> way != Way.GZIP).toList();
    private static final long MEGABYTE = 1_000_000;

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private int archives;

    TwoProcesses(Options options, DataSets dataSets, Path temp, Progress progress) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
    }

    /** A link and how much of each data set is sent over it: enough to outlast the start, little enough to end soon. */
    private record Situation(Shape shape, long bytes, List<String> data) {}

    private List<Situation> situations() {
        List<String> few = options.data.stream()
                .filter(List.of("text", "mix")::contains)
                .toList();
        return options.quick
                ? List.of(
                        new Situation(Shape.LOOPBACK, 10 * MEGABYTE, options.data),
                        new Situation(Shape.FAST, 6 * MEGABYTE, few),
                        new Situation(Shape.SLOW, MEGABYTE, few),
                        new Situation(Shape.FAR, 8 * MEGABYTE, few))
                : List.of(
                        new Situation(Shape.LOOPBACK, 64 * MEGABYTE, options.data),
                        new Situation(Shape.FAST, 16 * MEGABYTE, options.data),
                        new Situation(Shape.SLOW, 2 * MEGABYTE, options.data),
                        new Situation(Shape.FAR, 32 * MEGABYTE, options.data));
    }

    List<Row> measure() throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Situation situation : situations()) {
            try (ShapedLink link = new ShapedLink(situation.shape());
                    AgentProcess agent = new AgentProcess(temp, link);
                    Controller controller = new Controller(agent);
                    Jvm agentJvm = Jvm.of(agent.pid());
                    Jvm ownJvm = Jvm.own()) {
                OverLink over = new OverLink(situation, controller, agentJvm, ownJvm);
                over.warmUp();
                for (String name : situation.data()) {
                    rows.addAll(over.measure(dataSets.get(name, situation.bytes())));
                }
            }
        }
        return rows;
    }

    private List<Way> ways() {
        return options.ways == null ? WAYS : options.ways.stream().map(Way::ofId).toList();
    }

    /** One link with its agent. */
    private final class OverLink {
        private static final int WARM_UP_ROUNDS = 3;

        private final Situation situation;
        private final Controller controller;
        private final Jvm agentJvm;
        private final Jvm ownJvm;

        OverLink(Situation situation, Controller controller, Jvm agentJvm, Jvm ownJvm) {
            this.situation = situation;
            this.controller = controller;
            this.agentJvm = agentJvm;
            this.ownJvm = ownJvm;
        }

        void warmUp() throws IOException, InterruptedException {
            DataSet little = dataSets.get("text", MEGABYTE);
            for (int round = 0; round < WARM_UP_ROUNDS; round++) {
                for (Way way : ways()) {
                    run(little, way, false);
                }
            }
        }

        List<Row> measure(DataSet set) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(options.rounds(), progress);
            for (Way way : ways()) {
                Row row = new Row(
                        Section.LINKS,
                        situation.shape().name(),
                        set.name(),
                        way.id(),
                        set.listing().bytes());
                rounds.add(row, round -> run(set, way, round == 0));
            }
            return rounds.run();
        }

        private Sample run(DataSet set, Way way, boolean compare) throws IOException, InterruptedException {
            Path archive = temp.resolve("archive-" + ++archives);
            agentJvm.reset();
            ownJvm.reset();
            Measurement measured =
                    controller.archive(new Order(set.folder(), set.listing().names(), way), archive);
            long agentHeap = agentJvm.peakHeap();
            long ownHeap = ownJvm.peakHeap();
            if (compare) {
                set.check(way.id(), archive);
            }
            TempFolder.delete(archive);
            return new Sample(
                    measured.wallNanos() / 1e9,
                    measured.received().wireBytes(),
                    measured.agentCpuNanos() / 1e9,
                    measured.controllerCpuNanos() / 1e9,
                    agentHeap,
                    ownHeap,
                    null,
                    null);
        }
    }
}
