package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
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

    private static final List<String> USUAL = without("gzip", WAYS);
    private static final List<String> COMPARED = List.of("core", "auto", DIRECT);

    /** Sets of which copyartifact copies only a part where it would take half an hour for all. */
    private static final List<String> MANY_FILES = List.of("text", "small");

    private static final int SHARE_OF_MANY = 20;

    private static final List<String> ARCHIVE = List.of("archive");
    private static final List<String> FETCH = List.of("fetch");
    private static final List<String> STASHES = List.of("stash", "unstash");

    private static final long MEGABYTE = 1_000_000;
    /** Makes 20,000 files. */
    private static final long SMALL = 106 * MEGABYTE;
    private static final long DEFAULT_SIZE = 256L << 20;
    /** A machine's sources come in small files first: with 256 MiB they have 18 KB on average, with 1 GiB 26 KB. */
    private static final long TEXT = 1L << 30;
    private static final int WARM_UP_ROUNDS = 3;
    /** With 8 MB, up to a third of the measured CPU time is the JIT compiler's. */
    private static final long WARM_UP = 64 * MEGABYTE;

    /** Before fresh agents: 600 MB by each transport and way. */
    private static final int LONG_WARM_UP_ROUNDS = 9;
    /** On a slow link, a part of what is measured has to do. */
    private static final long WARM_UP_SHARE = 10;

    /** Of the files of which ten builds are kept, about megabytes. */
    private static final int DISK_SCALE = 20;

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
        if (options.wants(Section.ARCHIVE)) {
            archive();
        }
        if (options.wants(Section.FRESH)) {
            fresh();
        }
        if (options.wants(Section.STASH)) {
            stash();
        }
        if (options.wants(Section.FETCH)) {
            fetch();
        }
        if (options.wants(Section.SHAPED)) {
            shaped();
        }
        if (options.wants(Section.HISTORIES)) {
            histories();
        }
        if (options.wants(Section.DISK)) {
            disk();
        }
        if (options.wants(Section.SLOW)) {
            slow();
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

    private static List<String> without(String way, List<String> ways) {
        return ways.stream().filter(each -> !each.equals(way)).toList();
    }

    private void archive() throws IOException, InterruptedException {
        try (Agents connected = new Agents(Shape.LOOPBACK, options.transports)) {
            connected.warmUp(ways(USUAL), WARM_UP);
            for (String name : options.data) {
                connected.archive(Section.ARCHIVE, dataSets.get(name, size(options, name)), ways(USUAL));
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

    /** What is measured warm is what a day of work has left of the controller when fresh agents come. */
    private void fetch() throws IOException, InterruptedException {
        for (Condition condition : List.of(Condition.LOOPBACK, Condition.NEAR)) {
            if (options.conditions.contains(condition)) {
                try (Agents connected = new Agents(condition.shape(), options.transports)) {
                    long warmUp = condition == Condition.LOOPBACK ? WARM_UP : WARM_UP / SHARE_OF_MANY;
                    connected.fetch(dataSets.get(DataSets.BUILD, warmUp), WARM_UP_ROUNDS, 1, ways(COMPARED));
                    // core has compiled what it runs for each of thousands of files; the other ways run theirs once per block or transfer
                    connected.fetch(
                            dataSets.get(DataSets.BUILD, warmUp), LONG_WARM_UP_ROUNDS, 1, without("core", ways(COMPARED)));
                    for (String name : options.data) {
                        int part = condition == Condition.NEAR && MANY_FILES.contains(name) ? SHARE_OF_MANY : 1;
                        rows.addAll(connected.fetch(
                                dataSets.get(name, size(options, name)), options.rounds, part, ways(COMPARED)));
                    }
                }
            }
        }
        rows.addAll(freshAgents().fetch());
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

    private void histories() throws IOException, InterruptedException {
        Histories histories = new Histories(temp, progress, options.rounds);
        Map<Condition, Integer> scales = Map.of(Condition.LOOPBACK, 200, Condition.FAST, 24, Condition.SLOW, 6);
        for (Condition condition : List.of(Condition.LOOPBACK, Condition.FAST, Condition.SLOW)) {
            Shape shape = condition.shape();
            int scale = options.size == null ? scales.get(condition) : (int) (options.size / MEGABYTE);
            for (String transport : options.conditions.contains(condition) ? options.transports : List.<String>of()) {
                try (Agents connected = new Agents(shape, List.of(transport))) {
                    connected.warmUp(List.of("auto", DIRECT), shape.isShaped() ? scale * MEGABYTE / WARM_UP_SHARE : WARM_UP);
                    List<AgentJvm> agents =
                            connected.all.stream().map(agent -> agent.agent).toList();
                    String link = Transport.ofId(transport).title() + (shape.isShaped() ? ", " + shape.name() : "");
                    rows.addAll(histories.measure(agents, link, options.data, scale, ways(Histories.WAYS)));
                }
            }
        }
    }

    private void disk() throws IOException, InterruptedException {
        int scale = options.size == null ? DISK_SCALE : (int) (options.size / MEGABYTE);
        try (Agents connected = new Agents(Shape.LOOPBACK, List.of(options.transports.get(0)))) {
            rows.addAll(new Histories(temp, progress, options.rounds).disk(connected.all.get(0).agent, options.data, scale));
        }
    }

    private void slow() throws IOException, InterruptedException {
        List<String> ways = ways(List.of("core", DIRECT));
        try (Agents connected = new Agents(Shape.LOOPBACK, List.of(options.transports.get(0)))) {
            connected.warmUp(ways, WARM_UP);
            List<AgentJvm> agents =
                    connected.all.stream().map(agent -> agent.agent).toList();
            rows.addAll(new SlowDisks(options, dataSets, temp, progress, ways).measure(agents));
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
        private final List<WarmAgent> all = new ArrayList<>();

        Agents(Shape shape, List<String> transports) throws IOException {
            this.shape = shape;
            for (RealJenkins controller : controllers) {
                Place place = new Place(controller, shape, options.agentOptions);
                places.add(place);
                for (String transport : transports) {
                    all.add(new WarmAgent(Transport.ofId(transport), place));
                }
            }
        }

        void warmUp(List<String> ways, long bytes) throws IOException {
            warmUp(ways, bytes, WARM_UP_ROUNDS);
        }

        void warmUp(List<String> ways, long bytes, int rounds) throws IOException {
            DataSet part = dataSets.get("mix", bytes);
            for (int round = 0; round < rounds; round++) {
                for (WarmAgent agent : all) {
                    for (String way : agent.jenkins.measured(ways)) {
                        agent.run(ARCHIVE, part, way, round == 0);
                    }
                }
            }
        }

        void archive(Section section, DataSet set, List<String> ways) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(options.rounds, progress);
            String link = shape.isShaped() ? ", " + shape.name() : "";
            for (WarmAgent agent : all) {
                for (String way : agent.jenkins.measured(ways)) {
                    rounds.add(
                            List.of(agent.row(section, link, set, way)),
                            round -> agent.run(ARCHIVE, set, way, round == 0));
                }
            }
            rows.addAll(rounds.run());
        }

        /** Stashes and unstashes, in the ways that can. */
        List<Row> stash(DataSet set, int count) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(count, progress);
            for (WarmAgent agent : all) {
                for (String way : agent.jenkins.measured(ways(COMPARED))) {
                    if (agent.jenkins.stashes(way)) {
                        List<Row> series = STASHES.stream()
                                .map(kind -> agent.row(Section.STASH, ", " + kind, set, way))
                                .toList();
                        rounds.add(series, round -> agent.run(STASHES, set, way, round == 0));
                    }
                }
            }
            return rounds.run();
        }

        /**
         * Fetches what one of the agents has archived.
         *
         * @param share core copies one in so many of the files
         */
        List<Row> fetch(DataSet set, int count, int share, List<String> ways) throws IOException, InterruptedException {
            Rounds rounds = new Rounds(count, progress);
            String link = shape.isShaped() ? ", " + shape.name() : "";
            for (WarmAgent agent : all) {
                for (String way : agent.jenkins.measured(ways)) {
                    DataSet part = way.equals("core") && share > 1 ? dataSets.get(set.name(), set.listing().bytes() / share) : set;
                    agent.jenkins.source(agent.agent, part.folder());
                    double factor = (double) set.listing().names().size() / part.listing().names().size();
                    rounds.add(
                            List.of(agent.row(Section.FETCH, link, set, way)),
                            round -> agent.run(FETCH, part, way, round == 0).stream()
                                    .map(sample -> sample.times(factor))
                                    .toList());
                }
            }
            return rounds.run();
        }

        @Override
        public void close() throws IOException {
            for (WarmAgent agent : all) {
                agent.close();
            }
            for (Place place : places) {
                place.close();
            }
        }
    }

    /** An agent that has worked before. */
    private final class WarmAgent implements Closeable {
        private final Transport transport;
        private final RealJenkins jenkins;
        private final AgentJvm agent;

        WarmAgent(Transport transport, Place place) throws IOException {
            this.transport = transport;
            jenkins = place.jenkins();
            agent = new AgentJvm(place, transport.id() + "-" + ++agents, transport, null);
        }

        /**
         * @param what follows the name of the transport
         */
        Row row(Section section, String what, DataSet set, String way) {
            return new Row(section, transport.title() + what, set.name(), jenkins.title(way), set.listing().bytes());
        }

        /** One sample per kind of step. */
        List<Sample> run(List<String> kinds, DataSet set, String way, boolean compare) throws IOException {
            List<Sample> samples = new ArrayList<>();
            for (String kind : kinds) {
                samples.add(Steps.run(jenkins, agent, kind, way, set, temp, compare).with(null));
            }
            return samples;
        }

        @Override
        public void close() throws IOException {
            agent.close();
        }
    }
}
