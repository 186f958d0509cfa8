package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.WorkPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The program to start. */
public final class Bench {
    private static final int FAILED = 1;
    private static final int BAD_ARGUMENTS = 2;

    private Bench() {}

    /** Exit code 0: done; 1: something failed; 2: bad arguments. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        // whatever ends this, nothing that it has started stays
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroy), "end processes"));
        System.exit(run(args));
    }

    private static int run(String... args) {
        try {
            measure(Options.parse(args));
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return BAD_ARGUMENTS;
        } catch (IOException e) {
            System.err.println("Failed: " + e);
            e.printStackTrace();
            return FAILED;
        } catch (InterruptedException e) {
            System.err.println("Interrupted");
            return FAILED;
        }
    }

    private static void measure(Options options) throws IOException, InterruptedException {
        Progress progress = new Progress();
        List<Row> rows = new ArrayList<>();
        long largest = Math.max(options.jenkins ? options.randomSize : 0, options.size == null ? 0 : options.size);
        // a set, what it is made of and an archive; with Jenkins several sets and its home
        long needed = (options.jenkins ? 5 : 3) * Math.max(largest, EngineBench.SIZE);
        try (WorkPlace place = new WorkPlace(needed, Long.MAX_VALUE)) {
            Machine machine = Machine.of(place.path());
            progress.say("%s", machine.describe());
            progress.say("%s", place.describe("All files"));
            DataSets dataSets = new DataSets(Files.createDirectory(place.path().resolve("data")), options.repository);
            if (options.jenkins) {
                try (JenkinsBench bench = new JenkinsBench(options, dataSets, place.path(), progress)) {
                    rows.addAll(bench.measure());
                }
            }
            if (options.wants(Section.ENGINE)) {
                rows.addAll(EngineBench.measure(options, dataSets, place));
            }
            Results results = new Results(
                    options.command, LocalDate.now().toString(), machine, options.rounds, dataSets.describe(), rows);
            new Report(results, options.out).write();
            progress.say("Written to %s", options.out);
        }
    }
}
