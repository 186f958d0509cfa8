package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Sample;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.io.file.PathUtils;

/**
 * Measures steps on a simulated slow disk, which holds the builds' folder or the workspace. Each step starts without
 * cached files.
 */
final class SlowDisks {
    /**
     * Steps per run. The slow disk is the destination of an archive, unstash or fetch, but the source in {@code workspace}.
     */
    private static final List<List<String>> STEPS =
            List.of(List.of("archive", "delete"), List.of("unstash"), List.of("fetch"), List.of("workspace"));

    /** Numbers of small files. */
    private static final List<Integer> FILES = List.of(20_000, 2_000);

    /** Average bytes of a small file including its text's remainder, see {@link DataSets}. */
    static final long BYTES_PER_FILE = 5_300;

    /** MiB of any other data set. */
    private static final int SIZE = 32;

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private Path program;

    SlowDisks(Options options, DataSets dataSets, Path temp) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
    }

    List<ResultRow> measure(Agents agents, List<String> ways) throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        Optional<String> missing = SlowFolder.missing();
        if (missing.isPresent()) {
            Bench.log("Skipped slow disks: %s. They need cc, pkg-config, fuse3 and libfuse3-dev.", missing.get());
            return List.of(ResultRow.missing(Section.SLOW, "all", "all", "all", missing.get()));
        }
        try (TempFolder folder = new TempFolder()) {
            program = SlowFolder.build(folder);
            for (SlowDisk disk : options.disks) {
                for (DataSet set : sets()) {
                    InterleavedRuns rounds = new InterleavedRuns(options.rounds);
                    agents.each(ways, (agent, way) -> {
                        for (List<String> steps : STEPS) {
                            List<ResultRow> series =
                                    steps.stream().map(step -> row(disk, step, set, agent, way)).toList();
                            rounds.add(series, round -> run(steps.get(0), agent, way, set, disk));
                        }
                    });
                    rows.addAll(rounds.run());
                }
            }
        }
        return rows;
    }

    /** Returns the wanted data sets; if the user names none, only small files, because others take as long as there are files. */
    private List<DataSet> sets() throws IOException {
        List<DataSet> sets = new ArrayList<>();
        List<String> names = options.data == DataSets.NAMES ? List.of("small") : options.data;
        for (String name : names) {
            if (name.equals("small")) {
                for (int files : FILES) {
                    sets.add(dataSets.get(name, files * BYTES_PER_FILE));
                }
            } else {
                sets.add(dataSets.get(name, options.size(SIZE)));
            }
        }
        return sets;
    }

    private static ResultRow row(SlowDisk disk, String step, DataSet set, AgentJvm agent, String way) {
        return new ResultRow(
                Section.SLOW,
                disk.title + ", " + step,
                title(set),
                agent.jenkins().title(way),
                set.listing().bytes());
    }

    /** Returns the name of a data set in the report, with the number of small files. */
    static String title(DataSet set) {
        return set.name().equals("small") ? String.format("small, %,d files", set.listing().sizes().size()) : set.name();
    }

    private List<Sample> run(String step, AgentJvm agent, String way, DataSet set, SlowDisk disk)
            throws IOException, InterruptedException {
        Path files = Files.createTempDirectory(temp, "slow-");
        List<Sample> samples = new ArrayList<>();
        switch (step) {
            case "unstash", "fetch" -> {
                if (step.equals("fetch")) {
                    agent.source(set.folder());
                } else {
                    agent.step("stash", way, set.folder(), set.folder());
                }
                Path workspace = Files.createTempDirectory(temp, "workspace-");
                samples.add(run(agent, step, way, workspace, set.folder(), files, workspace, disk));
                set.check(way, disk == SlowDisk.NONE ? workspace : files);
                PathUtils.deleteDirectory(workspace);
            }
            case "workspace" -> {
                PathUtils.copyDirectory(set.folder(), files, StandardCopyOption.COPY_ATTRIBUTES);
                Path workspace = disk == SlowDisk.NONE ? files : Files.createTempDirectory(temp, "workspace-");
                samples.add(run(agent, "archive", way, workspace, workspace, files, workspace, disk));
                agent.step("delete", way, workspace, workspace);
            }
            default -> {
                Path builds = agent.jenkins().builds();
                samples.add(run(agent, "archive", way, set.folder(), set.folder(), files, builds, disk));
                if (disk != SlowDisk.NONE) {
                    Path archive = builds.relativize(samples.get(0).archive);
                    set.check(way, files.resolve(archive));
                }
                samples.add(run(agent, "delete", way, set.folder(), set.folder(), files, builds, disk));
            }
        }
        PathUtils.deleteDirectory(files);
        return samples;
    }

    /**
     * @param source folder whose archive is fetched, ignored by other steps
     * @param files  folder with the files
     * @param shown  mount point of the slow disk
     */
    private Sample run(
            AgentJvm agent, String step, String way, Path workspace, Path source, Path files, Path shown, SlowDisk disk)
            throws IOException, InterruptedException {
        Sample sample;
        if (disk == SlowDisk.NONE) {
            sample = agent.step(step, way, workspace, source);
        } else {
            try (SlowFolder slow = new SlowFolder(program, files, shown, disk)) {
                sample = agent.step(step, way, workspace, source);
                sample.operations = slow.end();
            }
        }
        sample.loading = null;
        return sample;
    }
}
