package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Archives with a real controller and real agents. */
final class JenkinsBench implements Closeable {
    /** The plugin's default: codec {@code auto}, with a direct lane. All other ways use the agent's channel alone. */
    static final String DIRECT = "auto-direct";

    /** The same with an https root URL. */
    static final String DIRECT_HTTPS = DIRECT + "-https";

    /** All but gzip, which only core needs to be compared with, and {@link #DIRECT_HTTPS} are measured if nothing is said. */
    static final List<String> WAYS =
            List.of("core", "core-none", "none", "gzip", "lz4", "zstd", "auto", DIRECT, DIRECT_HTTPS);

    private static final List<String> USUAL = without("gzip", without(DIRECT_HTTPS, WAYS));
    private static final List<String> COMPARED = List.of("core", "auto", DIRECT);

    /** Sets of which only a part is fetched where copyartifact would take half an hour for all. */
    private static final List<String> MANY_FILES = List.of("text", "small");

    private static final int SHARE_OF_MANY = 20;

    private static final List<String> ARCHIVE = List.of("archive");
    private static final List<String> FETCH = List.of("fetch");
    private static final List<String> STASH = List.of("stash");
    private static final List<String> UNSTASH = List.of("unstash");
    private static final List<String> STASHES = List.of("stash", "unstash");

    /** Agents that unstash at once. */
    private static final int READERS = 10;

    private static final long MEGABYTE = 1_000_000;
    /** Makes 20,000 files. */
    private static final long SMALL = 106 * MEGABYTE;
    /** MiB. */
    private static final int DEFAULT_SIZE = 256;
    /** A machine's sources come in small files first: with 256 MiB they have 18 KB on average, with 1 GiB 26 KB. */
    private static final int TEXT = 1024;

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
    private final List<RealJenkins> controllers = new ArrayList<>();
    private final List<ResultRow> rows = new ArrayList<>();

    JenkinsBench(Options options, DataSets dataSets, Path temp) throws IOException, InterruptedException {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        Bench.say("Jenkins starts ...");
        controllers.add(new RealJenkins(temp.resolve("jenkins"), options.war, options.plugins, null, options.https()));
        if (options.plugin != null) {
            controllers.add(new RealJenkins(temp.resolve("other"), options.war, options.plugins, options.plugin, options.https()));
        }
    }

    List<ResultRow> measure() throws IOException, InterruptedException {
        for (Section section : Section.values()) {
            if (options.wants(section)) {
                switch (section) {
                    case ARCHIVE -> archive();
                    case FRESH -> fresh();
                    case STASH -> stash();
                    case READERS -> readers();
                    case FETCH -> fetch();
                    case SHAPED -> shaped();
                    case HISTORIES -> histories();
                    case DISK -> disk();
                    case SLOW -> slow();
                    case ENGINE -> {}
                }
            }
        }
        return rows;
    }

    private DataSet set(String name) throws IOException {
        return dataSets.get(name, switch (name) {
            case "random" -> (long) options.randomSize << 20;
            case "small" -> SMALL;
            case "text" -> options.size(TEXT);
            default -> options.size(DEFAULT_SIZE);
        });
    }

    private List<Condition> wanted(Condition... possible) {
        return Stream.of(possible).filter(options.conditions::contains).toList();
    }

    private static List<String> without(String way, List<String> ways) {
        return ways.stream().filter(each -> !each.equals(way)).toList();
    }

    private void archive() throws IOException, InterruptedException {
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports())) {
            warmUp(agents, options.ways(USUAL), WARM_UP, WARM_UP_ROUNDS);
            for (String name : options.data) {
                rows.addAll(measure(Section.ARCHIVE, agents, options.ways(USUAL), ARCHIVE, set(name), options.rounds));
            }
        }
    }

    /** A controller runs for weeks: its JVM has compiled what it needs long before a fresh agent comes. */
    private void fresh() throws IOException, InterruptedException {
        List<Transport> warm = options.warmTransports();
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, warm.isEmpty() ? List.of(Transport.TCP) : warm)) {
            warmUp(agents, options.ways(COMPARED), WARM_UP, LONG_WARM_UP_ROUNDS);
        }
        rows.addAll(freshAgents(options.ways(COMPARED)).measure(Section.FRESH, options.conditions, ARCHIVE));
    }

    private FreshAgents freshAgents(List<String> ways) {
        return new FreshAgents(options, dataSets, temp, controllers, ways);
    }

    /** Core has no other stash than the gzip'ed one. */
    private void stash() throws IOException, InterruptedException {
        List<String> ways = without("core-none", options.ways(COMPARED));
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports())) {
            measure(Section.STASH, agents, ways, STASHES, dataSets.get("mix", WARM_UP), WARM_UP_ROUNDS);
            for (String name : options.data) {
                rows.addAll(measure(Section.STASH, agents, ways, STASHES, set(name), options.rounds));
            }
        }
        rows.addAll(freshAgents(ways).measure(Section.STASH, List.of(Condition.LOOPBACK), STASHES));
    }

    private void readers() throws IOException, InterruptedException {
        Map<Condition, Long> sizes =
                Map.of(Condition.GIGABIT, 96 * MEGABYTE, Condition.FAST, 24 * MEGABYTE, Condition.SLOW, 2 * MEGABYTE);
        List<String> ways = without("core-none", options.ways(COMPARED));
        for (Condition condition : wanted(Condition.GIGABIT, Condition.FAST, Condition.SLOW)) {
            for (String name : options.data) {
                DataSet set = dataSets.get(name, sizes.get(condition));
                try (Agents writers = new Agents(controllers, Condition.LOOPBACK, List.of(Transport.TCP))) {
                    List<ResultRow> written = measure(Section.READERS, writers, ways, STASH, set, 1);
                    rows.addAll(condition == Condition.GIGABIT ? written : List.of());
                }
                try (Agents readers = new Agents(controllers, condition, List.of(Transport.TCP))) {
                    measure(Section.READERS, readers, ways, UNSTASH, set, WARM_UP_ROUNDS);
                    rows.addAll(measure(Section.READERS, readers, ways, UNSTASH, set, options.rounds));
                    if (condition == Condition.GIGABIT) {
                        rows.addAll(atOnce(readers, ways, set));
                    }
                }
            }
        }
    }

    private List<ResultRow> atOnce(Agents readers, List<String> ways, DataSet set) throws IOException, InterruptedException {
        List<AgentJvm> others = new ArrayList<>();
        InterleavedRuns rounds = new InterleavedRuns(options.rounds);
        try {
            for (AgentJvm reader : readers.all) {
                List<AgentJvm> together = new ArrayList<>(List.of(reader));
                while (together.size() < READERS) {
                    AgentJvm another = reader.another();
                    others.add(another);
                    together.add(another);
                }
                String link = reader.link() + ", ten at once";
                for (String way : reader.jenkins().measured(ways)) {
                    long bytes = READERS * set.listing().bytes();
                    ResultRow row = new ResultRow(Section.READERS, link, set.name(), reader.jenkins().title(way), bytes);
                    rounds.add(List.of(row), round -> List.of(AgentJvm.together(together, way, set, temp, round == 0)));
                }
            }
            return rounds.run();
        } finally {
            for (AgentJvm other : others) {
                other.close();
            }
        }
    }

    /** What is measured warm is what a day of work has left of the controller when fresh agents come. */
    private void fetch() throws IOException, InterruptedException {
        List<String> ways = options.ways(COMPARED);
        List<Condition> conditions = wanted(Condition.LOOPBACK, Condition.NEAR);
        for (Condition condition : conditions) {
            try (Agents agents = new Agents(controllers, condition, options.warmTransports())) {
                long bytes = condition == Condition.LOOPBACK ? WARM_UP : WARM_UP / SHARE_OF_MANY;
                DataSet warmUp = dataSets.get(DataSets.BUILD, bytes);
                fetch(agents, ways, warmUp, WARM_UP_ROUNDS);
                // core has compiled what it runs for each of thousands of files; the other ways run theirs once per block or transfer
                fetch(agents, without("core", ways), warmUp, LONG_WARM_UP_ROUNDS);
                for (String name : options.data) {
                    boolean part = condition == Condition.NEAR && MANY_FILES.contains(name);
                    DataSet set = part ? dataSets.get(name, set(name).listing().bytes() / SHARE_OF_MANY) : set(name);
                    rows.addAll(fetch(agents, ways, set, options.rounds));
                }
            }
        }
        rows.addAll(freshAgents(ways).measure(Section.FETCH, conditions, FETCH));
    }

    /** What one of the agents has archived. */
    private List<ResultRow> fetch(Agents agents, List<String> ways, DataSet set, int count)
            throws IOException, InterruptedException {
        agents.each(ways, (agent, way) -> agent.source(set.folder()));
        return measure(Section.FETCH, agents, ways, FETCH, set, count);
    }

    private void shaped() throws IOException, InterruptedException {
        Map<Condition, Long> sizes =
                Map.of(Condition.FAST, 24 * MEGABYTE, Condition.SLOW, 2 * MEGABYTE, Condition.FAR, 96 * MEGABYTE);
        List<String> ways = options.ways(COMPARED);
        for (Condition condition : List.of(Condition.FAST, Condition.SLOW, Condition.FAR)) {
            long bytes = sizes.get(condition);
            for (Transport transport : options.warmTransports()) {
                try (Agents agents = new Agents(controllers, condition, List.of(transport))) {
                    long warmUp = condition.bitsPerSecond == 0 ? WARM_UP : bytes / WARM_UP_SHARE;
                    warmUp(agents, ways, warmUp, WARM_UP_ROUNDS);
                    for (String name : options.data) {
                        DataSet set = dataSets.get(name, bytes);
                        rows.addAll(measure(Section.SHAPED, agents, ways, ARCHIVE, set, options.rounds));
                    }
                }
            }
        }
    }

    private void histories() throws IOException, InterruptedException {
        BuildHistories histories = new BuildHistories(temp, options);
        Map<Condition, Integer> scales = Map.of(Condition.LOOPBACK, 200, Condition.FAST, 24, Condition.SLOW, 12);
        for (Condition condition : wanted(Condition.LOOPBACK, Condition.FAST, Condition.SLOW)) {
            int scale = scale(scales.get(condition));
            for (Transport transport : options.warmTransports()) {
                try (Agents agents = new Agents(controllers, condition, List.of(transport))) {
                    long warmUp = condition.isShaped() ? scale * MEGABYTE / WARM_UP_SHARE : WARM_UP;
                    warmUp(agents, List.of("auto", DIRECT), warmUp, WARM_UP_ROUNDS);
                    rows.addAll(histories.measure(agents.all, scale, false));
                    if (condition == Condition.FAST) {
                        rows.addAll(histories.measure(agents.all, scale, true));
                    }
                }
            }
        }
    }

    private void disk() throws IOException, InterruptedException {
        int scale = scale(DISK_SCALE);
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports().subList(0, 1))) {
            rows.addAll(new BuildHistories(temp, options).disk(agents.all.get(0), scale));
        }
    }

    /** Of histories, about megabytes. */
    private int scale(int usual) {
        return options.size == null ? usual : (int) (options.size(0) / MEGABYTE);
    }

    private void slow() throws IOException, InterruptedException {
        List<String> ways = options.ways(List.of("core", DIRECT));
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports().subList(0, 1))) {
            warmUp(agents, ways, WARM_UP, WARM_UP_ROUNDS);
            rows.addAll(new SlowDisks(options, dataSets, temp).measure(agents, ways));
        }
    }

    private void warmUp(Agents agents, List<String> ways, long bytes, int rounds) throws IOException {
        DataSet part = dataSets.get("mix", bytes);
        for (int round = 0; round < rounds; round++) {
            boolean first = round == 0;
            agents.each(ways, (agent, way) -> agent.run("archive", way, part, temp, first));
        }
    }

    /**
     * @param kinds of steps, which follow each other; each has a row
     */
    private List<ResultRow> measure(
            Section section, Agents agents, List<String> ways, List<String> kinds, DataSet set, int count)
            throws IOException, InterruptedException {
        InterleavedRuns rounds = new InterleavedRuns(count);
        agents.each(ways, (agent, way) -> {
            List<ResultRow> series = kinds.stream()
                    .map(kind -> new ResultRow(
                            section,
                            agent.link() + (kinds.size() > 1 ? ", " + kind : ""),
                            set.name(),
                            agent.jenkins().title(way),
                            set.listing().bytes()))
                    .toList();
            rounds.add(series, round -> run(agent, way, kinds, set, round == 0));
        });
        return rounds.run();
    }

    /** What is loaded is of interest with fresh agents alone. */
    private List<Sample> run(AgentJvm agent, String way, List<String> kinds, DataSet set, boolean compare)
            throws IOException {
        List<Sample> samples = new ArrayList<>();
        for (String kind : kinds) {
            Sample sample = agent.run(kind, way, set, temp, compare);
            sample.loading = null;
            samples.add(sample);
        }
        return samples;
    }

    @Override
    public void close() throws IOException {
        for (RealJenkins controller : controllers) {
            controller.close();
        }
    }
}
