package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        List<Replay> replays = new ArrayList<>();
        try (TempFolder temp = new TempFolder()) {
            Machine machine = Machine.of(temp.path());
            progress.say("%s", machine.describe());
            if (!machine.fileSystem().equals("tmpfs")) {
                progress.say("The files go to %s; on a tmpfs the figures would be free of the disk.", machine.fileSystem());
            }
            Path data = Files.createDirectory(temp.path().resolve("data"));
            DataSets dataSets = new DataSets(data, options.repository);
            if (options.jenkins) {
                try (JenkinsBench bench = new JenkinsBench(options, dataSets, temp.path(), progress)) {
                    rows.addAll(bench.measure());
                }
            }
            if (options.wants(Section.TOOLS)) {
                rows.addAll(new OtherTools(options, dataSets, temp.path(), progress).measure());
            }
            if (options.wants(Section.REPLAYS)) {
                replays.addAll(Replay.measure(options.repository));
            }
            Results results = new Results(
                    options.command,
                    LocalDate.now().toString(),
                    machine,
                    options.rounds,
                    dataSets.describe(),
                    rows,
                    replays);
            new Report(results, options.out).write();
            progress.say("Written to %s", options.out);
        }
    }
}
