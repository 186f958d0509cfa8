package io.jenkins.plugins.compressionaware.demo;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Creates data sets from files of this machine, and keeps them for later requests. */
public final class DataSets {
    public static final List<String> NAMES = List.of("random", "jars", "text", "small", "mix");

    /** Name of the data set that resembles a usual build. */
    public static final String BUILD = "build";

    /** The texts of so many small files; more small files are made of other parts of them. */
    private static final int SMALL_SOURCES = 20_000;

    private static final int SMALL_PER_FOLDER = 100;
    /** File lengths. With the remainders of texts, the average is 4,400 bytes, and 20,000 files have 88 MB. */
    private static final int MIN_SMALL_BYTES = 1_000;

    private static final int MAX_SMALL_BYTES = 9_600;
    private static final int CHUNK = 1 << 20;
    private static final Predicate<String> PACKED =
            name -> name.matches(".*\\.(jar|war|hpi|jpi|deb|rpm|zip|whl|gz|xz|zst|jmod)");
    private static final Predicate<String> TEXT = name -> name.matches(
            ".*\\.(java|c|h|hpp|cpp|py|pl|pm|go|js|ts|css|html|xml|json|ya?ml|txt|md|rst|properties|sh|log|[1-8])");

    private final Path folder;
    private final Path repository;
    private final Map<String, DataSet> made = new LinkedHashMap<>();

    /**
     * @param folder     exists; all data sets are created in it
     * @param repository local Maven repository with jars
     */
    public DataSets(Path folder, Path repository) {
        this.folder = folder;
        this.repository = repository;
    }

    /** Returns a line per name, for the largest wanted data set of that name. */
    public List<String> describe(Predicate<DataSet> wanted) {
        Map<String, DataSet> largest = new LinkedHashMap<>();
        for (DataSet set : made.values()) {
            if (wanted.test(set)) {
                largest.merge(set.name(), set, (a, b) -> a.listing().bytes() < b.listing().bytes() ? b : a);
            }
        }
        return largest.values().stream().map(DataSet::describe).toList();
    }

    /**
     * Returns a data set of about this size, or smaller if this machine does not have enough files. Small files are made several times of the same texts.
     *
     * @param name one of {@link #NAMES} or {@link #BUILD}
     */
    public DataSet get(String name, long bytes) throws IOException {
        String key = name + "-" + bytes;
        DataSet existing = made.get(key);
        if (existing != null) {
            return existing;
        }
        Path target = Files.createDirectories(folder.resolve(key));
        String madeOf =
                switch (name) {
                    case "random" -> random(target, bytes);
                    case "jars" -> jars(target, bytes);
                    case "text" -> text(target, bytes);
                    case "small" -> small(target, bytes);
                    case "mix" -> mix(target, bytes);
                    case BUILD -> build(target, bytes);
                    default -> throw new IllegalArgumentException("There is no data set '" + name + "'");
                };
        DataSet set = new DataSet(name, target, Listing.of(target), madeOf);
        made.put(key, set);
        return set;
    }

    private static String random(Path target, long bytes) throws IOException {
        Random random = new Random(bytes);
        byte[] chunk = new byte[CHUNK];
        try (OutputStream out = Files.newOutputStream(target.resolve("random.bin"))) {
            for (long left = bytes; left > 0; left -= chunk.length) {
                random.nextBytes(chunk);
                out.write(chunk, 0, (int) Math.min(chunk.length, left));
            }
        }
        return "one file of random bytes";
    }

    private String jars(Path target, long bytes) throws IOException {
        FileCollector collector = new FileCollector(bytes);
        collector.addFrom(repository, target, PACKED);
        for (String root : List.of("/usr/share/java", "/usr/share/maven/lib", "/var/cache/apt/archives")) {
            collector.addFrom(Path.of(root), target, PACKED);
        }
        for (Path jdk : jdks()) {
            collector.addFrom(jdk.resolve("jmods"), target.resolve(jdk.getFileName()), PACKED);
        }
        return "jars and other packages of the local Maven repository, the system and the JDK";
    }

    /** Writes three quarters sources and documents, and fills the rest with logs. */
    private static String text(Path target, long bytes) throws IOException {
        FileCollector collector = new FileCollector(bytes * 3 / 4);
        for (Path jdk : jdks()) {
            collector.addZip(jdk.resolve("lib/src.zip"), target.resolve(jdk.getFileName()));
        }
        for (String root : List.of(
                "/usr/include", "/usr/lib/python3", "/usr/lib/python3.11", "/usr/local/go/src", "/usr/share/perl",
                "/usr/share/doc", "/usr/lib")) {
            collector.addFrom(Path.of(root), target.resolve("system"), TEXT);
        }
        Listing sources = Listing.of(target);
        logs(Files.createDirectory(target.resolve("logs")), sources.sizes(), bytes - sources.bytes());
        return String.format(
                "%.0f %% sources and documents of the JDK and the system, the rest generated build logs",
                100.0 * sources.bytes() / Listing.of(target).bytes());
    }

    /** Writes logs of fictitious builds with a line per file, because not every machine has logs. */
    private static void logs(Path folder, Map<String, Long> subjects, long bytes) throws IOException {
        long builds = 1;
        for (int build = 1; build <= builds; build++) {
            Random random = new Random(build);
            Instant now = Instant.parse("2026-01-05T08:00:00Z").plusSeconds(3600L * build);
            Path log = folder.resolve("build-" + build + ".log");
            try (BufferedWriter out = Files.newBufferedWriter(log)) {
                for (Map.Entry<String, Long> subject : subjects.entrySet()) {
                    int millis = 1 + random.nextInt(400);
                    now = now.plusMillis(millis);
                    out.write(now + " [worker-" + random.nextInt(4) + "] INFO  Processed " + subject.getKey() + " ("
                            + subject.getValue() + " bytes) in " + millis + " ms\n");
                }
            }
            if (build == 1) {
                builds = bytes / Math.max(1, Files.size(log));
            }
        }
    }

    /** Splits texts into small files. */
    private String small(Path target, long bytes) throws IOException {
        int wanted = (int) Math.max(1, bytes * 2 / (MIN_SMALL_BYTES + MAX_SMALL_BYTES));
        List<String> names = subjects(Math.min(SMALL_SOURCES, wanted));
        Random random = new Random(1);
        int count = 0;
        for (int i = 0; count < wanted && !names.isEmpty(); i++) {
            byte[] content = Files.readAllBytes(Path.of(names.get(i % names.size())));
            int position = i < names.size() ? 0 : random.nextInt(content.length);
            while (position < content.length && count < wanted) {
                int length = Math.min(MIN_SMALL_BYTES + random.nextInt(MAX_SMALL_BYTES - MIN_SMALL_BYTES), content.length - position);
                Path into = target.resolve("folder-" + count / SMALL_PER_FOLDER);
                Files.createDirectories(into);
                byte[] part = Arrays.copyOfRange(content, position, position + length);
                Files.write(into.resolve("file-" + count + ".txt"), part);
                position += length;
                count++;
            }
        }
        return "parts of source text of " + MIN_SMALL_BYTES + " to " + MAX_SMALL_BYTES + " bytes, " + SMALL_PER_FOLDER
                + " in a folder";
    }

    private List<String> subjects(int files) throws IOException {
        DataSet text = get("text", Math.max(1_000_000L, (long) files * MAX_SMALL_BYTES));
        return text.listing().names().stream()
                .filter(name -> !name.startsWith("logs/"))
                .map(name -> text.folder().resolve(name).toString())
                .toList();
    }

    /** Writes a quarter of each other set, as far as files are available. */
    private String mix(Path target, long bytes) throws IOException {
        random(target, bytes / 4);
        link(target, List.of("jars", "text", "small"), bytes / 4);
        return "a quarter of each of the other sets";
    }

    private String build(Path target, long bytes) throws IOException {
        link(target, List.of("jars", "text"), bytes / 2);
        return "half jars, half text";
    }

    private void link(Path target, List<String> sets, long bytes) throws IOException {
        for (String name : sets) {
            DataSet part = get(name, bytes);
            for (String file : part.listing().names()) {
                Path to = target.resolve(name).resolve(file);
                Files.createDirectories(to.getParent());
                Files.createLink(to, part.folder().resolve(file));
            }
        }
    }

    /** Returns the running JDK and those installed next to it. */
    private static List<Path> jdks() throws IOException {
        Path own = Path.of(System.getProperty("java.home")).toRealPath();
        List<Path> all = new ArrayList<>(List.of(own));
        try (Stream<Path> others = Files.list(own.getParent())) {
            others.filter(jdk -> !jdk.equals(own) && Files.exists(jdk.resolve("lib/src.zip")) && !Files.isSymbolicLink(jdk))
                    .sorted()
                    .forEach(all::add);
        }
        return all;
    }
}
