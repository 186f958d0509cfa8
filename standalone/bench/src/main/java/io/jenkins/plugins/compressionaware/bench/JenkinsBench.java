package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.bench.RealJenkins.Archived;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Archives with a real controller and real agents. */
final class JenkinsBench implements Closeable {
    /** The plugin's default: codec {@code auto}, with a direct lane. All other ways use the agent's channel alone. */
    static final String DIRECT = "auto-direct";

    /** All but gzip, which only core needs to be compared with, are measured if nothing is said. */
    static final List<String> WAYS = List.of("core", "core-none", "none", "gzip", "lz4", "zstd", "auto", DIRECT);

    private static final List<String> USUAL =
            WAYS.stream().filter(way -> !way.equals("gzip")).toList();
    private static final List<String> COMPARED = List.of("core", "auto", DIRECT);

    private static final List<String> KINDS = List.of("stash", "unstash");

    private static final long MEGABYTE = 1_000_000;
    /** Makes 20,000 files. */
    private static final long SMALL = 106 * MEGABYTE;
    private static final long DEFAULT_SIZE = 256L << 20;
    /** A machine's sources come in small files first: with 256 MiB they have 18 KB on average, with 1 GiB 26 KB. */
    private static final long TEXT = 1L << 30;
    private static final int WARM_UP_ROUNDS = 3;
    /** With 8 MB, up to a third of the measured processor time is the JIT compiler's. */
    private static final long WARM_UP = 64 * MEGABYTE;

    /** Before fresh agents: 600 MB by each transport and way. */
    private static final int LONG_WARM_UP_ROUNDS = 9;
    /** On a slow link, a part of what is measured has to do. */
    private static final long WARM_UP_SHARE = 10;

    private static final int IDLE_MILLIS = 5_000;

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private final List<RealJenkins> controllers = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private int agents;

    JenkinsBench(Options options, DataSets dataSets, Path temp, Progress progress) throws IOException {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
        progress.say("Jenkins starts ...");
        controllers.add(new RealJenkins(temp.resolve("jenkins"), options.war, options.plugins, null));
        if (options.plugin != null) {
            controllers.add(new RealJenkins(temp.resolve("other"), options.war, options.plugins, options.plugin));
        }
    }

    List<Row> measure() throws IOException, InterruptedException {
        if (options.wants(Section.ARCHIVE) || options.wants(Section.CALLS)) {
            archive();
        }
        if (options.wants(Section.FRESH)) {
            fresh();
        }
        if (options.wants(Section.STASH)) {
            stash();
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
        try (Agents connected = new Agents(Shape.LOOPBACK, options.transports)) {
            connected.warmUp(ways(USUAL), WARM_UP);
            if (options.wants(Section.ARCHIVE)) {
                for (String name : options.data) {
                    connected.archive(Section.ARCHIVE, dataSets.get(name, size(options, name)), ways(USUAL));
                }
            }
            if (options.wants(Section.CALLS)) {
                for (WatchedAgent agent : connected.all) {
                    agent.calls();
                }
            }
        }
    }

    /** A controller runs for weeks: its JVM has compiled what it needs long before a fresh agent comes. */
    private void fresh() throws IOException, InterruptedException {
        List<String> transports = options.transports.isEmpty() ? List.of(Transport.TCP.id()) : options.transports;
        try (Agents warm = new Agents(Shape.LOOPBACK, transports)) {
            warm.warmUp(ways(COMPARED), WARM_UP, LONG_WARM_UP_ROUNDS);
        }
        rows.addAll(freshAgents().archive());
    }

    private FreshAgents freshAgents() {
        return new FreshAgents(options, dataSets, temp, progress, controllers, ways(COMPARED));
    }

    /** Core has no other stash than the gzip'ed one. */
    private void stash() throws IOException, InterruptedException {
        try (Agents connected = new Agents(Shape.LOOPBACK, options.transports)) {
            connected.stash(dataSets.get("mix", WARM_UP), WARM_UP_ROUNDS);
            for (String name : options.data) {
                rows.addAll(connected.stash(dataSets.get(name, size(options, name)), options.rounds));
            }
        }
        rows.addAll(freshAgents().stash());
    }

    private void shaped() throws IOException, InterruptedException {
        Map<Shape, Long> sizes =
                Map.of(Shape.FAST, 24 * MEGABYTE, Shape.SLOW, 2 * MEGABYTE, Shape.FAR, 96 * MEGABYTE);
        for (Shape shape : List.of(Shape.FAST, Shape.SLOW, Shape.FAR)) {
            long bytes = sizes.get(shape);
            for (String transport : options.transports) {
                try (Agents agents = new Agents(shape, List.of(transport))) {
                    agents.warmUp(ways(COMPARED), shape.bitsPerSecond() == 0 ? WARM_UP : bytes / WARM_UP_SHARE);
                    for (String name : options.data) {
                        agents.archive(Section.SHAPED, dataSets.get(name, bytes), ways(COMPARED));
                    }
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (RealJenkins controller : controllers) {
            controller.close();
        }
    }

    /** One agent of each controller over each transport, with links of their own. */
    private final class Agents implements Closeable {
        private final Shape shape;
        private final List<Place> places = new ArrayList<>();
        private final List<WatchedAgent> all = new ArrayList<>();

        Agents(Shape shape, List<String> transports) throws IOException {
            this.shape = shape;
            for (RealJenkins controller : controllers) {
                Place place = new Place(controller, shape, options.agentOptions);
                places.add(place);
                for (String transport : transports) {
                    all.add(new WatchedAgent(Transport.ofId(transport), place));
                }
            }
        }

        void warmUp(List<String> ways, long bytes) throws IOException {
            warmUp(ways, bytes, WARM_UP_ROUNDS);
        }

        void warmUp(List<String> ways, long bytes, int rounds) throws IOException {
            DataSet little = dataSets.get("mix", bytes);
            for (int round = 0; round < rounds; round++) {
                for (WatchedAgent agent : all) {
                    for (String way : agent.jenkins.measured(ways)) {
                        agent.archive(little, way, round == 0);
                    }
                }
            }
        }

        void archive(Section section, DataSet set, List<String> ways) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(options.rounds, progress);
            for (WatchedAgent agent : all) {
                for (String way : agent.jenkins.measured(ways)) {
                    rounds.add(agent.row(section, shape, set, way), round -> agent.archive(set, way, round == 0));
                }
            }
            rows.addAll(rounds.run());
        }

        /** Stashes and unstashes, in the ways that can. */
        List<Row> stash(DataSet set, int count) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(count, progress);
            for (WatchedAgent agent : all) {
                for (String way : agent.jenkins.measured(ways(COMPARED))) {
                    if (agent.jenkins.stashes(way)) {
                        List<Row> series = KINDS.stream()
                                .map(kind -> agent.row(Section.STASH, ", " + kind, set, way))
                                .toList();
                        rounds.add(series, round -> agent.stash(set, way, round == 0));
                    }
                }
            }
            return rounds.run();
        }

        @Override
        public void close() throws IOException {
            for (WatchedAgent agent : all) {
                agent.close();
            }
            for (Place place : places) {
                place.close();
            }
        }
    }

    /** An agent, and the view on its JVM. */
    private final class WatchedAgent implements Closeable {
        private final Transport transport;
        private final RealJenkins jenkins;
        private final AgentJvm agent;
        private final Jvm agentJvm;

        WatchedAgent(Transport transport, Place place) throws IOException {
            this.transport = transport;
            jenkins = place.jenkins();
            agent = new AgentJvm(place, transport.id() + "-" + ++agents, transport, null);
            agentJvm = Jvm.of(agent.pid());
        }

        Row row(Section section, Shape shape, DataSet set, String way) {
            return row(section, shape.isShaped() ? ", " + shape.name() : "", set, way);
        }

        /**
         * @param what follows the name of the transport
         */
        Row row(Section section, String what, DataSet set, String way) {
            return new Row(section, transport.title() + what, set.name(), jenkins.title(way), set.listing().bytes());
        }

        /** One sample each. */
        List<Sample> stash(DataSet set, String way, boolean compare) throws IOException {
            List<Sample> samples = new ArrayList<>();
            for (String kind : KINDS) {
                agentJvm.reset();
                samples.add(Steps.run(jenkins, agent, kind, way, set, temp, compare).with(null));
            }
            return samples;
        }

        Sample archive(DataSet set, String way, boolean compare) throws IOException {
            jenkins.jvm().reset();
            agentJvm.reset();
            double controllerCpu = jenkins.jvm().cpuSeconds();
            double agentCpu = agentJvm.cpuSeconds();
            Archived archived = jenkins.archive(agent.name(), way, set, false);
            Sample sample = new Sample(
                    archived.seconds(),
                    archived.wireBytes(),
                    agentJvm.cpuSeconds() - agentCpu,
                    jenkins.jvm().cpuSeconds() - controllerCpu,
                    agentJvm.peakHeap(),
                    jenkins.jvm().peakHeap(),
                    null,
                    archived.log().isBlank() ? null : archived.log().strip());
            if (compare) {
                set.check(way, archived.archive());
            }
            TempFolder.delete(archived.archive());
            return sample;
        }

        /** One sample per call. */
        void calls() throws IOException {
            DataSet set = dataSets.get("random", size(options, "mix"));
            calls("nothing", set, jenkins.idleCalls(agent.name(), IDLE_MILLIS));
            for (String way : jenkins.measured(ways(COMPARED))) {
                List<Double> times = new ArrayList<>();
                for (int round = 0; round < options.rounds; round++) {
                    Archived archived = jenkins.archive(agent.name(), way, set, true);
                    times.addAll(archived.callSeconds());
                    TempFolder.delete(archived.archive());
                }
                calls(way, set, times);
            }
        }

        private void calls(String way, DataSet set, List<Double> seconds) {
            Row row = row(Section.CALLS, Shape.LOOPBACK, set, way);
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
