package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Measures a real controller with real agents. */
final class JenkinsBench implements Closeable {
    /** The plugin's default: codec {@code auto} with a direct lane. All other ways use only the agent's channel. */
    static final String DIRECT = "auto-direct";

    /** The default with an https root URL, only over TCP and SSH. */
    static final String DIRECT_HTTPS = DIRECT + "-https";

    /** Another plugin that replaces the artifact manager, measured only if its file is given. */
    static final String ZIP_PLUGIN = "compress-artifacts";

    /** The default with packed storage, only for archives. */
    static final String PACKED = "packed";

    /** The default with a store, only for archives and stashes; measured only if the variables of {@code scripts/seaweedfs} are set. */
    static final String STORE = "s3";

    /** By default, gzip and lz4 are not measured. */
    static final List<String> WAYS = List.of(
            "core",
            "core-none",
            "none",
            "gzip",
            "lz4",
            "zstd",
            "auto",
            DIRECT,
            DIRECT_HTTPS,
            PACKED,
            STORE,
            ZIP_PLUGIN);

    private static final List<String> DEFAULT_WAYS = without("lz4", without("gzip", WAYS));
    private static final List<String> COMPARED = List.of("core", "auto", DIRECT);

    /** Duration of a transfer of incompressible data over a slow link; texts are four times as large. No set is larger than that of archives. */
    private static final int SHAPED_SECONDS = 3;
    private static final long SHAPED_LIMIT_BYTES = 512_000_000;

    /** Of these, only a part is fetched at 20 ms, because Copy Artifact would take half an hour for all files. */
    private static final List<String> MANY_FILES = List.of("text", "small");
    private static final int MANY_FILES_DIVISOR = 20;

    private static final List<String> ARCHIVE = List.of("archive");
    private static final List<String> FETCH = List.of("fetch");
    private static final List<String> STASH = List.of("stash");
    private static final List<String> UNSTASH = List.of("unstash");
    private static final List<String> STASHES = List.of("stash", "unstash");

    /** Bytes that one agent unstashes, by the rate of its link in bits per second. */
    private static final Map<Long, Long> READ_BYTES =
            Map.of(1_000_000_000L, 96_000_000L, 100_000_000L, 24_000_000L, 10_000_000L, 2_000_000L);

    /** Number of agents that unstash at the same time. */
    private static final int READERS = 10;

    /** Number of agents that archive at the same time. */
    private static final int CROWD = 50;
    /** Bytes of one large file, of 500,000 files, and of the files that each agent of a crowd archives. */
    private static final Map<String, Long> LARGE = new TreeMap<>(
                    Map.of("random", 20_000_000_000L, "small", 25 * 106_000_000L, "mix", 200_000_000L))
            .descendingMap();

    /** With 128 MB, the agent's heap cannot hold core's list of 500,000 files. */
    private static final List<String> MANY_FILES_HEAP = List.of("-Xmx1g");

    private static final long MEGABYTE = 1_000_000;
    /** Maximum bytes of the small files, which yield 20,000 files. */
    private static final long SMALL_BYTES = 106 * MEGABYTE;
    /** MiB. */
    private static final int DEFAULT_SIZE = 384;
    /** MiB. The first sources of a machine are small: 18 KB on average with 256 MiB, 26 KB with 1 GiB. */
    private static final int TEXT_SIZE = 1024;

    private static final int WARM_UP_ROUNDS = 3;

    /** For archives and stashes: 2,000 requests by each way over HTTP. With a tenth of them, the JIT compiler still takes a third of the CPU time. */
    private static final int LONG_LIFE_ROUNDS = 20;

    /** Bytes. With 8 MB, the JIT compiler needs up to a third of the measured CPU time. */
    private static final long WARM_UP = 64 * MEGABYTE;

    /** For fresh agents: 600 MB by each transport and way. */
    private static final int LONG_WARM_UP_ROUNDS = 9;
    /** On a slow link, only a part of the measured files is used to warm up. */
    private static final long WARM_UP_DIVISOR = 10;

    /** Approximate megabytes of the files of which ten builds are kept. */
    private static final int DISK_SCALE = 20;

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final WarmAgents warm;
    private final List<RealJenkins> controllers = new ArrayList<>();
    private final List<ResultRow> rows = new ArrayList<>();

    JenkinsBench(Options options, DataSets dataSets, Path temp) throws IOException, InterruptedException {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        warm = new WarmAgents(dataSets, temp);
        Bench.log("Starting Jenkins ...");
        controllers.add(new RealJenkins(temp.resolve("jenkins"), options, null));
        if (options.plugin != null) {
            controllers.add(new RealJenkins(temp.resolve("other"), options, options.plugin));
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
                    case LARGE -> large();
                    case READ -> read();
                    case STORE -> new StoreRuns(options, dataSets, temp).measure(controllers, rows);
                    case ENGINE -> {}
                }
            }
        }
        return rows;
    }

    private DataSet set(String name) throws IOException {
        return dataSets.get(
                name,
                switch (name) {
                    case "random" -> (long) options.randomSize << 20;
                    case "small" -> Math.min(SMALL_BYTES, options.size(DEFAULT_SIZE));
                    case "text" -> options.size(TEXT_SIZE);
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
        List<String> ways = options.ways(DEFAULT_WAYS);
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports());
                Peers peers = peers(Condition.LOOPBACK)) {
            warm.warmUp(agents, ways, WARM_UP, LONG_LIFE_ROUNDS);
            for (String name : options.data) {
                InterleavedRuns rounds = new InterleavedRuns(options.rounds);
                peers.addTo(rounds, Section.ARCHIVE, set(name));
                rows.addAll(warm.measure(rounds, Section.ARCHIVE, agents, ways, ARCHIVE, set(name)));
            }
        }
    }

    private Peers peers(Condition condition) throws IOException, InterruptedException {
        return new Peers(temp.resolve("peers-" + condition), options.peers(), condition);
    }

    /** Warms up the controller first, because a real one has compiled its code long before a fresh agent connects. */
    private void fresh() throws IOException, InterruptedException {
        List<Transport> transports = options.warmTransports();
        try (Agents agents = new Agents(
                controllers, Condition.LOOPBACK, transports.isEmpty() ? List.of(Transport.TCP) : transports)) {
            warm.warmUp(agents, options.ways(COMPARED), WARM_UP, LONG_WARM_UP_ROUNDS);
        }
        rows.addAll(freshAgents(options.ways(COMPARED)).measure(Section.FRESH, options.conditions, ARCHIVE));
    }

    private FreshAgents freshAgents(List<String> ways) {
        return new FreshAgents(options, dataSets, temp, controllers, ways);
    }

    /** Core compresses stashes with gzip only. */
    private void stash() throws IOException, InterruptedException {
        List<String> ways = without("core-none", options.ways(COMPARED));
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.warmTransports())) {
            warm.measure(Section.STASH, agents, ways, STASHES, dataSets.get("mix", WARM_UP), LONG_LIFE_ROUNDS);
            for (String name : options.data) {
                rows.addAll(warm.measure(Section.STASH, agents, ways, STASHES, set(name), options.rounds));
            }
        }
        rows.addAll(freshAgents(ways).measure(Section.STASH, List.of(Condition.LOOPBACK), STASHES));
    }

    private void readers() throws IOException, InterruptedException {
        List<String> ways = without("core-none", options.ways(COMPARED));
        for (Condition condition : wanted(Condition.ofReaders())) {
            for (String name : options.data) {
                DataSet set = dataSets.get(name, READ_BYTES.get(condition.bitsPerSecond));
                try (Agents writers = new Agents(controllers, Condition.LOOPBACK, List.of(Transport.TCP))) {
                    warm.measure(Section.READERS, writers, ways, STASH, set, 1);
                }
                try (Agents readers = new Agents(controllers, condition, List.of(Transport.TCP))) {
                    warm.measure(Section.READERS, readers, ways, UNSTASH, set, WARM_UP_ROUNDS);
                    rows.addAll(warm.measure(Section.READERS, readers, ways, UNSTASH, set, options.rounds));
                    if (condition == Condition.GIGABIT) {
                        rows.addAll(warm.concurrently(
                                Section.READERS, "unstash", READERS, options.rounds, readers, ways, set));
                    }
                }
            }
        }
    }

    /** Archives once with each way, because core takes up to 20 minutes. */
    private void large() throws IOException, InterruptedException {
        List<String> ways = options.ways(List.of("core", DIRECT));
        for (Map.Entry<String, Long> each : LARGE.entrySet()) {
            if (options.data.contains(each.getKey())) {
                DataSet set = dataSets.get(each.getKey(), each.getValue());
                List<String> heap = each.getKey().equals("small") ? MANY_FILES_HEAP : List.of();
                try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.oneWarmTransport(), heap)) {
                    warm.warmUp(agents, ways, WARM_UP, WARM_UP_ROUNDS);
                    rows.addAll(
                            each.getKey().equals("mix")
                                    ? warm.concurrently(Section.LARGE, "archive", CROWD, 1, agents, ways, set)
                                    : warm.measure(Section.LARGE, agents, ways, ARCHIVE, set, 1));
                }
            }
        }
    }

    private void read() throws IOException, InterruptedException {
        List<String> ways = options.ways(List.of(DIRECT, PACKED, ZIP_PLUGIN));
        long bytes = options.size == null ? LARGE.get("small") : options.size(0);
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.oneWarmTransport(), MANY_FILES_HEAP)) {
            warm.warmUp(agents, ways, WARM_UP, WARM_UP_ROUNDS);
            rows.addAll(ArtifactReads.measure(agents, ways, dataSets.get("small", bytes)));
        }
    }

    /** Measures warm agents before fresh agents, so that the controller is warm as well. */
    private void fetch() throws IOException, InterruptedException {
        List<String> ways = options.ways(COMPARED);
        List<Condition> conditions = wanted(Condition.LOOPBACK, Condition.NEAR);
        for (Condition condition : conditions) {
            try (Agents agents = new Agents(controllers, condition, options.warmTransports())) {
                long bytes = condition == Condition.LOOPBACK ? WARM_UP : WARM_UP / MANY_FILES_DIVISOR;
                DataSet warmUp = dataSets.get(DataSets.BUILD, bytes);
                fetch(agents, ways, warmUp, WARM_UP_ROUNDS);
                // core is warm already, because it runs code per file; the other ways run code per block or transfer
                fetch(agents, without("core", ways), warmUp, LONG_WARM_UP_ROUNDS);
                for (String name : options.data) {
                    boolean part = condition == Condition.NEAR && MANY_FILES.contains(name);
                    DataSet set =
                            part ? dataSets.get(name, set(name).listing().bytes() / MANY_FILES_DIVISOR) : set(name);
                    rows.addAll(fetch(agents, ways, set, options.rounds));
                }
            }
        }
        rows.addAll(freshAgents(ways).measure(Section.FETCH, conditions, FETCH));
    }

    /** Archives a data set with one of the agents, and measures fetches of it. */
    private List<ResultRow> fetch(Agents agents, List<String> ways, DataSet set, int count)
            throws IOException, InterruptedException {
        agents.each(ways, (agent, way) -> agent.source(set.folder()));
        return warm.measure(Section.FETCH, agents, ways, FETCH, set, count);
    }

    private void shaped() throws IOException, InterruptedException {
        List<String> ways = options.ways(COMPARED);
        for (Condition condition : wanted(Condition.ofWarmAgents())) {
            long rate = condition == Condition.FAR ? Condition.GIGABIT.bitsPerSecond : condition.bitsPerSecond;
            long bytes = rate / 8 * SHAPED_SECONDS;
            for (Transport transport : options.oneWarmTransport()) {
                try (Agents agents = new Agents(controllers, condition, List.of(transport));
                        Peers peers = peers(condition)) {
                    long warmUp = condition.bitsPerSecond == 0 ? WARM_UP : bytes / WARM_UP_DIVISOR;
                    warm.warmUp(agents, ways, warmUp, WARM_UP_ROUNDS);
                    for (String name : options.data) {
                        long size = MANY_FILES.contains(name) ? Math.min(4 * bytes, SHAPED_LIMIT_BYTES) : bytes;
                        DataSet whole = set(name);
                        DataSet set = size < whole.listing().bytes() ? dataSets.get(name, size) : whole;
                        InterleavedRuns rounds = new InterleavedRuns(options.rounds);
                        peers.addTo(rounds, Section.SHAPED, set);
                        rows.addAll(warm.measure(rounds, Section.SHAPED, agents, ways, ARCHIVE, set));
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
                    long warmUp = condition.isShaped() ? scale * MEGABYTE / WARM_UP_DIVISOR : WARM_UP;
                    warm.warmUp(agents, List.of("auto", DIRECT), warmUp, WARM_UP_ROUNDS);
                    rows.addAll(histories.measure(agents.all, scale, false));
                    if (condition == Condition.FAST) {
                        rows.addAll(histories.measure(agents.all, scale, true));
                    }
                }
            }
        }
    }

    private void disk() throws IOException, InterruptedException {
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.oneWarmTransport())) {
            rows.addAll(new BuildHistories(temp, options).disk(agents.all.get(0), scale(DISK_SCALE)));
        }
    }

    /** Returns the approximate megabytes of a history. */
    private int scale(int standard) {
        return options.size == null ? standard : (int) (options.size(0) / MEGABYTE);
    }

    private void slow() throws IOException, InterruptedException {
        List<String> ways = options.ways(List.of("core", DIRECT));
        try (Agents agents = new Agents(controllers, Condition.LOOPBACK, options.oneWarmTransport())) {
            warm.warmUp(agents, ways, WARM_UP, WARM_UP_ROUNDS);
            rows.addAll(new SlowDisks(options, dataSets, temp).measure(agents, ways));
        }
    }

    @Override
    public void close() throws IOException {
        for (RealJenkins controller : controllers) {
            controller.close();
        }
    }
}
