package io.jenkins.plugins.compressionaware.bench;

import com.sun.management.OperatingSystemMXBean;
import io.jenkins.plugins.compressionaware.demo.Comparison;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Measurement;
import io.jenkins.plugins.compressionaware.demo.ScratchFolder;
import io.jenkins.plugins.compressionaware.demo.Way;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ParameterException;

/** The main class of the benchmark. */
public final class Bench {
    private static final int BAD_ARGUMENTS = 2;
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    /** Default size of a data set without Jenkins, in MiB. */
    private static final int SIZE = 128;

    /** Bytes: a file of 20 GB, or the files of 50 agents, with an archive, and other files. */
    private static final long LARGE_SPACE = 50_000_000_000L;

    /** Bytes: 500,000 files, an archive of them, and other files. */
    private static final long MANY_FILES_SPACE = 12_000_000_000L;

    private static final long START = System.nanoTime();

    private Bench() {}

    /** Runs the benchmark. The exit code is 0 after success, 1 after a failure, 2 for invalid arguments. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Locale.setDefault(Locale.ROOT);
        // stops all started processes, however this JVM ends
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroy), "end processes"));
        try {
            Options options = Options.parse(args);
            if (options.pages) {
                Report.read(options.out).write(options.out);
                return;
            }
            measure(options);
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            System.exit(BAD_ARGUMENTS);
        }
    }

    private static long largeSpace(Options options) {
        boolean isLargest = options.data.contains("random") || options.data.contains("mix");
        if (options.wants(Section.LARGE)) {
            return isLargest ? LARGE_SPACE : MANY_FILES_SPACE;
        }
        return options.wants(Section.READ) && options.size == null ? MANY_FILES_SPACE : 0;
    }

    private static void measure(Options options) throws IOException, InterruptedException {
        // an unreadable report fails before hours of measuring
        Report old = options.add ? Report.read(options.out) : new Report(List.of());
        List<ResultRow> rows = new ArrayList<>();
        long largest = Math.max(options.size(SIZE), options.jenkins ? (long) options.randomSize << 20 : 0);
        // space for a set, its sources and an archive; with Jenkins, several sets and the Jenkins home
        long space = Math.max((options.jenkins ? 6 : 3) * largest, options.jenkins ? largeSpace(options) : 0);
        try (ScratchFolder scratch = new ScratchFolder(space, Long.MAX_VALUE)) {
            String machine = machine(scratch.path());
            Bench.log("%s", machine);
            Bench.log("%s", scratch.describe("All files"));
            DataSets dataSets =
                    new DataSets(Files.createDirectory(scratch.path().resolve("data")), options.repository);
            if (options.jenkins) {
                try (JenkinsBench bench = new JenkinsBench(options, dataSets, scratch.path())) {
                    rows.addAll(bench.measure());
                }
            }
            if (options.wants(Section.ENGINE)) {
                rows.addAll(engine(options, dataSets, scratch));
            }
            String today = LocalDate.now().toString();
            Report.Run run =
                    new Report.Run(options.command, today, machine, options.rounds, measured(dataSets, rows), rows);
            old.with(run).write(options.out);
            Bench.log("Written to %s", options.out);
        }
    }

    /** Describes the data sets of the rows, without those that only warm up. */
    private static List<String> measured(DataSets dataSets, List<ResultRow> rows) {
        return dataSets.describe(set ->
                rows.stream().anyMatch(row -> row.rawBytes() == set.listing().bytes()));
    }

    /** Prints a line with the minutes and seconds since the start. */
    static void log(String format, Object... args) {
        long seconds = (System.nanoTime() - START) / 1_000_000_000L;
        System.out.printf("[%d:%02d] ", seconds / 60, seconds % 60);
        System.out.printf(format + "%n", args);
    }

    /** Measures codecs with the demo's two processes, which is possible without Jenkins. */
    private static List<ResultRow> engine(Options options, DataSets dataSets, ScratchFolder scratch)
            throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (String name : options.data) {
            DataSet set = dataSets.get(name, options.size(SIZE));
            System.out.println(set.describe());
            Measurement measured = new Comparison(set.folder(), set.listing(), scratch, System.out).run(options.rounds);
            measured.all().forEach((way, samples) -> {
                String title = way == Way.CORE ? "core" : way.id();
                rows.add(new ResultRow(Section.ENGINE, "sockets", name, title, measured.bytes(), samples, null));
            });
        }
        return rows;
    }

    /** Returns a description of this machine. */
    private static String machine(Path temp) throws IOException {
        OperatingSystemMXBean os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        String processor = os.getArch();
        if (Files.isReadable(PROCESSORS)) {
            try (Stream<String> lines = Files.lines(PROCESSORS)) {
                processor = lines.filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse(processor);
            }
        }
        return String.format(
                "%s, %d cores, %.0f GiB memory, %s %s %s, %s %s, files on %s, load %.1f at the start",
                processor,
                os.getAvailableProcessors(),
                os.getTotalMemorySize() / (double) (1 << 30),
                os.getName(),
                os.getVersion(),
                os.getArch(),
                System.getProperty("java.vm.name"),
                System.getProperty("java.runtime.version"),
                Files.getFileStore(temp).type(),
                os.getSystemLoadAverage());
    }
}
