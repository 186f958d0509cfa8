package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.io.file.PathUtils;

/** Small files where each operation takes a time: below the builds' folder, or in a workspace. Each step finds nothing cached of the disk. */
final class SlowDisks {
    /** What is on the slow disk is where an archive or stash gets to, or in {@code workspace} where an archive comes from. */
    static final List<String> STEPS = List.of("archive", "delete", "unstash", "workspace");

    /** Of a small file with its share of all, see {@link DataSets}. */
    private static final long BYTES_OF_A_FILE = 5_300;

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private final List<String> ways;
    private Path program;

    SlowDisks(Options options, DataSets dataSets, Path temp, Progress progress, List<String> ways) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
        this.ways = ways;
    }

    /**
     * @param agents warm ones
     */
    List<Row> measure(List<AgentJvm> agents) throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        Optional<String> missing = SlowFolder.missing();
        if (missing.isPresent()) {
            progress.say("No slow disks: %s. They need cc, pkg-config, fuse3 and libfuse3-dev.", missing.get());
            return List.of(Row.missing(Section.SLOW, "all", "all", "all", missing.get()));
        }
        try (TempFolder folder = new TempFolder()) {
            program = SlowFolder.build(folder);
            for (SlowDisk disk : options.disks) {
                for (long files : options.files) {
                    rows.addAll(measure(disk, files, agents));
                }
            }
        }
        return rows;
    }

    private List<Row> measure(SlowDisk disk, long files, List<AgentJvm> agents)
            throws IOException, InterruptedException {
        DataSet set = dataSets.get("small", files * BYTES_OF_A_FILE);
        String data = String.format("%,d files", set.listing().names().size());
        Rounds rounds = new Rounds(options.rounds, progress);
        for (AgentJvm agent : agents) {
            for (String way : agent.jenkins().measured(ways)) {
                for (List<String> steps : List.of(List.of("archive", "delete"), List.of("unstash"), List.of("workspace"))) {
                    List<String> wanted = steps.stream().filter(options.steps::contains).toList();
                    if (!wanted.isEmpty()) {
                        List<Row> series = wanted.stream()
                                .map(step -> new Row(
                                        Section.SLOW,
                                        disk.title() + ", " + step,
                                        data,
                                        agent.jenkins().title(way),
                                        set.listing().bytes()))
                                .toList();
                        rounds.add(series, round -> run(wanted, agent, way, set, disk));
                    }
                }
            }
        }
        return rounds.run();
    }

    private List<Sample> run(List<String> steps, AgentJvm agent, String way, DataSet set, SlowDisk disk)
            throws IOException, InterruptedException {
        RealJenkins jenkins = agent.jenkins();
        Path files = Files.createTempDirectory(temp, "slow-");
        List<Sample> samples = new ArrayList<>();
        switch (steps.get(0)) {
            case "unstash" -> {
                jenkins.step(agent, "stash", way, set.folder(), set.folder());
                Path workspace = Files.createTempDirectory(temp, "workspace-");
                samples.add(run(agent, "unstash", way, workspace, files, workspace, disk));
                set.check(way, disk == SlowDisk.NONE ? workspace : files);
                TempFolder.delete(workspace);
            }
            case "workspace" -> {
                PathUtils.copyDirectory(set.folder(), files, StandardCopyOption.COPY_ATTRIBUTES);
                Path workspace = disk == SlowDisk.NONE ? files : Files.createTempDirectory(temp, "workspace-");
                samples.add(run(agent, "archive", way, workspace, files, workspace, disk));
                jenkins.ask("delete", Map.of());
            }
            default -> {
                Sample archived = run(agent, "archive", way, set.folder(), files, jenkins.builds(), disk);
                if (steps.contains("archive")) {
                    samples.add(archived);
                }
                if (disk != SlowDisk.NONE) {
                    set.check(way, archive(files));
                }
                if (steps.contains("delete")) {
                    samples.add(run(agent, "delete", way, set.folder(), files, jenkins.builds(), disk));
                } else if (disk == SlowDisk.NONE) {
                    jenkins.ask("delete", Map.of());
                }
            }
        }
        TempFolder.delete(files);
        return samples;
    }

    private static Path archive(Path builds) throws IOException {
        try (var all = Files.list(builds)) {
            return all.findFirst().orElseThrow().resolve("archive");
        }
    }

    /**
     * @param files what is shown
     * @param shown where it is shown
     */
    private Sample run(
            AgentJvm agent, String step, String way, Path workspace, Path files, Path shown, SlowDisk disk)
            throws IOException, InterruptedException {
        if (disk == SlowDisk.NONE) {
            return sample(agent.jenkins().step(agent, step, way, workspace, workspace), null);
        }
        try (SlowFolder slow = new SlowFolder(program, files, shown, disk)) {
            RealJenkins.Step result = agent.jenkins().step(agent, step, way, workspace, workspace);
            return sample(result, slow.end());
        }
    }

    private static Sample sample(RealJenkins.Step step, Map<String, Long> operations) {
        return new Sample(
                step.seconds(),
                step.wireBytes(),
                step.agentCpu(),
                step.controllerCpu(),
                step.controllerHeap(),
                null,
                operations,
                step.log().strip());
    }
}
