package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.bench.RealJenkins.Archived;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.demo.TreeComparison;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Archives with a real controller and real agents. */
final class JenkinsBench implements Closeable {
    /** The plugin's default: codec {@code auto}, with a direct lane. All other ways use the agent's channel alone. */
    static final String DIRECT = "auto-direct";

    private static final List<String> WAYS = List.of("core", "core-none", "none", "lz4", "zstd", "auto", DIRECT);
    private static final List<String> COMPARED = List.of("core", "auto", DIRECT);

    private static final long MEGABYTE = 1_000_000;
    /** Makes 20,000 files. */
    private static final long SMALL = 106 * MEGABYTE;
    private static final long DEFAULT_SIZE = 256L << 20;
    /** A machine's sources come in small files first: with 256 MiB they have 18 KB on average, with 1 GiB 26 KB. */
    private static final long TEXT = 1L << 30;
    private static final int WARM_UP_ROUNDS = 3;
    /** With 8 MB, up to a third of the measured processor time is the JIT compiler's. */
    private static final long WARM_UP = 64 * MEGABYTE;
    /** On a slow link, a part of what is measured has to do. */
    private static final long WARM_UP_SHARE = 10;

    private static final int IDLE_MILLIS = 5_000;

    private final Options options;
    private final DataSets dataSets;
    private final Progress progress;
    private final RealJenkins jenkins;
    private final Jvm controllerJvm;
    private final List<Row> rows = new ArrayList<>();
    private int agents;

    JenkinsBench(Options options, DataSets dataSets, Path temp, Progress progress) throws IOException {
        this.options = options;
        this.dataSets = dataSets;
        this.progress = progress;
        progress.say("Jenkins starts ...");
        jenkins = new RealJenkins(temp.resolve("jenkins"), options.war, options.plugins);
        controllerJvm = Jvm.of(jenkins.pid());
    }

    List<Row> measure() throws IOException, InterruptedException {
        if (options.wants(Section.ARCHIVE) || options.wants(Section.CALLS)) {
            archive();
        }
        if (options.wants(Section.COLD)) {
            cold();
        }
        if (options.wants(Section.SHAPED)) {
            shaped();
        }
        return rows;
    }

    /** Size of a data set in bytes. */
    static long size(Options options, String set) {
        return switch (set) {
            case "random" -> options.randomSize;
            case "small" -> SMALL;
            case "text" -> options.size == null ? TEXT : options.size;
            default -> options.size == null ? DEFAULT_SIZE : options.size;
        };
    }

    private List<String> ways(List<String> usual) {
        return options.ways == null ? usual : options.ways;
    }

    private void archive() throws IOException, InterruptedException {
        List<WatchedAgent> connected = new ArrayList<>();
        try {
            for (String transport : options.transports) {
                connected.add(new WatchedAgent(Transport.ofId(transport), direct()));
            }
            for (WatchedAgent agent : connected) {
                agent.warmUp(ways(WAYS), WARM_UP);
            }
            if (options.wants(Section.ARCHIVE)) {
                for (String name : options.data) {
                    DataSet set = dataSets.get(name, size(options, name));
                    Rounds rounds = new Rounds(options.rounds(), progress);
                    for (WatchedAgent agent : connected) {
                        for (String way : ways(WAYS)) {
                            rounds.add(row(Section.ARCHIVE, agent.transport.title(), set, way), agent.run(set, way));
                        }
                    }
                    rows.addAll(rounds.run());
                }
            }
            if (options.wants(Section.CALLS)) {
                for (WatchedAgent agent : connected) {
                    agent.calls();
                }
            }
        } finally {
            for (WatchedAgent agent : connected) {
                agent.close();
            }
        }
    }

    private AgentJvm.Ports direct() {
        return new AgentJvm.Ports(jenkins.httpPort(), port -> port);
    }

    private static Row row(Section section, String link, DataSet set, String way) {
        return new Row(section, link, set.name(), way, set.listing().bytes());
    }

    /** Every run has an agent of its own. */
    private void cold() throws IOException, InterruptedException {
        Transport transport = Transport.ofId(options.transports.get(options.transports.size() - 1));
        Map<String, Long> sizes = Map.of("10 KB", 10_000L, "5 MB", 5 * MEGABYTE, "100 MB", 100 * MEGABYTE);
        for (String size : List.of("10 KB", "5 MB", "100 MB")) {
            DataSet set = dataSets.get("mix", sizes.get(size));
            Rounds rounds = new Rounds(options.rounds(), progress);
            for (String way : ways(COMPARED)) {
                Row row = new Row(
                        Section.COLD, transport.title(), size, way, set.listing().bytes());
                rounds.add(row, round -> {
                    try (WatchedAgent fresh = new WatchedAgent(transport, direct())) {
                        return fresh.run(set, way).run(round);
                    }
                });
            }
            rows.addAll(rounds.run());
        }
    }

    private void shaped() throws IOException, InterruptedException {
        Map<Shape, Long> sizes =
                Map.of(Shape.FAST, 24 * MEGABYTE, Shape.SLOW, 2 * MEGABYTE, Shape.FAR, 96 * MEGABYTE);
        for (Shape shape : List.of(Shape.FAST, Shape.SLOW, Shape.FAR)) {
            for (String transport : options.transports) {
                try (ShapedLink link = new ShapedLink(shape)) {
                    int http = link.portTo(jenkins.httpPort());
                    jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(http)));
                    shaped(shape, Transport.ofId(transport), new AgentJvm.Ports(http, link), sizes.get(shape));
                } finally {
                    jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(jenkins.httpPort())));
                }
            }
        }
    }

    private void shaped(Shape shape, Transport transport, AgentJvm.Ports ports, long bytes)
            throws IOException, InterruptedException {
        try (WatchedAgent agent = new WatchedAgent(transport, ports)) {
            agent.warmUp(ways(COMPARED), shape.bitsPerSecond() == 0 ? WARM_UP : bytes / WARM_UP_SHARE);
            for (String name : options.data) {
                DataSet set = dataSets.get(name, bytes);
                Rounds rounds = new Rounds(options.rounds(), progress);
                for (String way : ways(COMPARED)) {
                    rounds.add(
                            row(Section.SHAPED, transport.title() + ", " + shape.name(), set, way),
                            agent.run(set, way));
                }
                rows.addAll(rounds.run());
            }
        }
    }

    @Override
    public void close() throws IOException {
        controllerJvm.close();
        jenkins.close();
    }

    /** An agent, and the view on its JVM. */
    private final class WatchedAgent implements Closeable {
        private final Transport transport;
        private final AgentJvm agent;
        private final Jvm agentJvm;

        WatchedAgent(Transport transport, AgentJvm.Ports ports) throws IOException {
            this.transport = transport;
            agent = new AgentJvm(jenkins, transport.id() + "-" + ++agents, transport, ports);
            agentJvm = Jvm.of(agent.pid());
        }

        void warmUp(List<String> ways, long bytes) throws IOException, InterruptedException {
            DataSet little = dataSets.get("mix", bytes);
            for (int round = 0; round < WARM_UP_ROUNDS; round++) {
                for (String way : ways) {
                    run(little, way).run(round);
                }
            }
        }

        /** The archive of the first round is compared with its source. */
        Rounds.Run run(DataSet set, String way) {
            return round -> {
                controllerJvm.reset();
                agentJvm.reset();
                double controllerCpu = controllerJvm.cpuSeconds();
                double agentCpu = agentJvm.cpuSeconds();
                Archived archived = jenkins.archive(agent.name(), way, set, false);
                Sample sample = new Sample(
                        archived.seconds(),
                        archived.wireBytes(),
                        agentJvm.cpuSeconds() - agentCpu,
                        controllerJvm.cpuSeconds() - controllerCpu,
                        agentJvm.peakHeap(),
                        controllerJvm.peakHeap(),
                        archived.log().isBlank() ? null : archived.log().strip());
                if (round == 0) {
                    compare(set, way, archived.archive());
                }
                TempFolder.delete(archived.archive());
                return sample;
            };
        }

        private void compare(DataSet set, String way, Path archive) throws IOException {
            Optional<String> difference =
                    new TreeComparison(set.folder(), archive).firstDifference(set.listing().names());
            if (difference.isPresent()) {
                throw new IOException(way + ": the archive differs from its source: " + difference.get());
            }
        }

        /** One sample per call. */
        void calls() throws IOException {
            DataSet set = dataSets.get("random", size(options, "mix"));
            calls("nothing", set, jenkins.idleCalls(agent.name(), IDLE_MILLIS));
            for (String way : ways(COMPARED)) {
                List<Double> times = new ArrayList<>();
                for (int round = 0; round < options.rounds(); round++) {
                    Archived archived = jenkins.archive(agent.name(), way, set, true);
                    times.addAll(archived.callSeconds());
                    TempFolder.delete(archived.archive());
                }
                calls(way, set, times);
            }
        }

        private void calls(String way, DataSet set, List<Double> seconds) {
            Row row = row(Section.CALLS, transport.title(), set, way);
            seconds.forEach(time -> row.samples().add(Sample.ofWall(time)));
            rows.add(row);
        }

        @Override
        public void close() throws IOException {
            agentJvm.close();
            agent.close();
        }
    }
}
