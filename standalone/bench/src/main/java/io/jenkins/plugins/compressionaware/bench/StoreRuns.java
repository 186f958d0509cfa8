package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Sample;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.io.FileUtils;

/** Measures archives and stashes in a store, by this plugin and by Artifact Manager on S3. The steps of one bucket are an archive, a stash, and its unstash. */
final class StoreRuns {
    /** The store that {@code scripts/seaweedfs} has started; null if there is none. */
    static final String ENDPOINT = System.getenv("STORE_ENDPOINT");

    /** Artifact Manager on S3, only in this section, and only if a folder with it is given. */
    static final String PLUGIN = "s3-plugin";

    static final List<String> WAYS = List.of("core", JenkinsBench.STORE, PLUGIN);

    /** Data sets if the user names none. */
    private static final List<String> DATA = List.of("small", "text", "random", "jars");

    private static final List<String> STEPS = List.of("archive", "stash", "unstash");
    private static final int SMALL_FILES = 10_000;
    /** MiB. */
    private static final int SIZE = 128;

    private record WarmUp(String data, long bytes, int rounds) {}

    /** Many transfers, many files and many blocks, because the JIT compiler would need more of the controller's CPU time than a transfer. */
    private static final List<WarmUp> WARM_UPS = List.of(
            new WarmUp("small", 100_000, 100), new WarmUp("text", 8_000_000, 20), new WarmUp("jars", 16_000_000, 20));

    /** Another address of the loopback interface: the host name and the port of the store are signed, so both are the same on all links. */
    private static final String FAR_ADDRESS = "127.0.0.2";

    /** An object, as the controller lists it. */
    private record StoredObject(String key, long size, String tag) {}

    private record Listed(List<StoredObject> objects) {}

    private interface Checksum {
        String of(Path file) throws IOException;
    }

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final AtomicInteger buckets = new AtomicInteger();

    StoreRuns(Options options, DataSets dataSets, Path temp) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
    }

    void measure(List<RealJenkins> controllers, List<ResultRow> rows) throws IOException, InterruptedException {
        if (ENDPOINT == null) {
            Bench.log("Skipped the store: start scripts/seaweedfs, and set the variables that it prints");
            return;
        }
        List<String> names = options.data == DataSets.NAMES ? DATA : options.data;
        for (Condition condition : List.of(Condition.LOOPBACK, Condition.NEAR)) {
            if (options.conditions.contains(condition)) {
                try (ShapingProxy link = new ShapingProxy(condition.bitsPerSecond, condition.roundTrip);
                        Agents agents = new Agents(
                                controllers, Condition.LOOPBACK, List.of(Transport.TCP), jvmOptions(condition, link))) {
                    warmUp(agents);
                    for (String name : names) {
                        rows.addAll(measure(agents, condition, set(name)));
                    }
                }
            }
        }
    }

    private DataSet set(String name) throws IOException {
        return dataSets.get(
                name,
                switch (name) {
                    case "random" -> (long) options.randomSize << 20;
                    case "small" -> SMALL_FILES * SlowDisks.BYTES_PER_FILE;
                    default -> options.size(SIZE);
                });
    }

    /** Lets an agent's JVM find the store at the end of a link. */
    private List<String> jvmOptions(Condition condition, ShapingProxy link) throws IOException {
        if (!condition.isShaped()) {
            return List.of();
        }
        int port = URI.create(ENDPOINT).getPort();
        link.forward(new InetSocketAddress(FAR_ADDRESS, port), port);
        Path hosts = Files.writeString(temp.resolve("hosts"), FAR_ADDRESS + " localhost\n");
        return List.of("-Djdk.net.hosts.file=" + hosts);
    }

    private void warmUp(Agents agents) throws IOException, InterruptedException {
        for (AgentJvm agent : agents.all) {
            newBucket(agent);
        }
        for (WarmUp each : WARM_UPS) {
            DataSet set = dataSets.get(each.data(), each.bytes());
            InterleavedRuns rounds = new InterleavedRuns(each.rounds());
            agents.each(options.storeWays(), (agent, way) -> rounds.add(
                    rows("warm-up, ", agent, way, set), round -> run(agent, way, set, false, false)));
            rounds.run();
        }
    }

    private List<ResultRow> measure(Agents agents, Condition condition, DataSet set)
            throws IOException, InterruptedException {
        String link = condition.isShaped() ? String.format("store at %.0f ms, ", condition.roundTrip) : "";
        WarmUp first = WARM_UPS.get(0);
        InterleavedRuns rounds = new InterleavedRuns(options.rounds);
        agents.each(options.storeWays(), (agent, way) -> rounds.add(rows(link, agent, way, set), round -> {
            // a new bucket opens connections and creates volumes, both of which belong to no run
            newBucket(agent);
            run(agent, way, dataSets.get(first.data(), first.bytes()), false, false);
            return run(agent, way, set, true, round == 0);
        }));
        return rounds.run();
    }

    private void newBucket(AgentJvm agent) throws IOException {
        String name = "bench-" + ProcessHandle.current().pid() + "-" + buckets.incrementAndGet();
        agent.jenkins().call("bucket", Map.of("name", name));
    }

    private static List<ResultRow> rows(String link, AgentJvm agent, String way, DataSet set) {
        return STEPS.stream()
                .map(step -> new ResultRow(
                        Section.STORE,
                        agent.link() + ", " + link + step,
                        SlowDisks.title(set),
                        agent.jenkins().title(way),
                        set.listing().bytes()))
                .toList();
    }

    /**
     * @param count   whether to count what is stored
     * @param compare whether to compare it with the source
     */
    private List<Sample> run(AgentJvm agent, String way, DataSet set, boolean count, boolean compare)
            throws IOException {
        List<Sample> samples = new ArrayList<>();
        Set<String> before = new HashSet<>();
        if (count) {
            newObjects(agent, before);
        }
        for (String step : STEPS) {
            boolean unstash = step.equals("unstash");
            Path folder = unstash ? Files.createTempDirectory(temp, "received-") : set.folder();
            Sample sample = agent.step(step, way, folder, set.folder());
            sample.loading = null;
            samples.add(sample);
            List<StoredObject> objects = List.of();
            if (count && !unstash) {
                if (way.equals("core")) {
                    sample.addStorage(step.equals("archive") ? sample.archive : sample.archive.resolveSibling("stashes"));
                } else {
                    objects = newObjects(agent, before);
                    sample.objects = (long) objects.size();
                    sample.diskBytes = objects.stream().mapToLong(StoredObject::size).sum();
                }
            }
            if (compare && step.equals("archive")) {
                check(agent, way, set, sample.archive, objects);
            } else if (compare && unstash) {
                set.check(way, folder);
            }
            if (!step.equals("stash")) {
                FileTrees.delete(unstash ? folder : sample.archive);
            }
        }
        return samples;
    }

    /** Returns the objects that were not known, and adds their keys. */
    private static List<StoredObject> newObjects(AgentJvm agent, Set<String> known) throws IOException {
        return new Gson()
                .fromJson(agent.jenkins().call("objects", Map.of()), Listed.class).objects().stream()
                        .filter(object -> known.add(object.key()))
                        .toList();
    }

    /** Compares an archive with its source. Artifact Manager on S3 reads files too slowly, but the tag of its objects is the MD5 of their bytes. */
    private void check(AgentJvm agent, String way, DataSet set, Path archive, List<StoredObject> objects)
            throws IOException {
        Map<String, String> stored = new HashMap<>();
        if (way.equals("core")) {
            set.check(way, archive);
        } else if (way.equals(PLUGIN)) {
            objects.forEach(object -> stored.put(
                    object.key().replaceFirst("^.*?/artifacts/", ""),
                    object.tag().replace("\"", "")));
            check(way, set, stored, StoreRuns::md5);
        } else {
            Path file = temp.resolve("artifacts.zip");
            agent.call("read", Map.of("step", "zip of all", "file", file.toString()));
            try (ZipFile zip = new ZipFile(file.toFile());
                    Stream<? extends ZipEntry> entries = zip.stream()) {
                entries.filter(entry -> !entry.isDirectory())
                        .forEach(entry -> stored.put(entry.getName(), Long.toString(entry.getCrc())));
            }
            Files.delete(file);
            check(way, set, stored, path -> Long.toString(FileUtils.checksumCRC32(path.toFile())));
        }
    }

    private static void check(String way, DataSet set, Map<String, String> stored, Checksum checksum)
            throws IOException {
        for (String name : set.listing().names()) {
            String was = checksum.of(set.folder().resolve(name));
            String is = stored.remove(name);
            if (!was.equals(is)) {
                throw new IOException(way + ": the checksum of " + name + " was " + was + " and is " + is);
            }
        }
        if (!stored.isEmpty()) {
            throw new IOException(way + ": not requested: " + stored.keySet());
        }
    }

    private static String md5(Path file) throws IOException {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), md5)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(md5.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }
}
