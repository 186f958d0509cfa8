package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.Listing;
import io.jenkins.plugins.compressionaware.demo.Sample;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.io.file.PathUtils;

/** Measures consecutive builds whose artifacts have much in common. */
final class BuildHistories {
    /** The first build has no reference build, so the second is the first that can reuse content. */
    private static final int BUILDS = 3;

    /** End of the name of the data of the second build. */
    static final String SECOND = ", build 2";

    private static final int MANY_BUILDS = 10;

    /** File systems that share blocks between files. */
    private static final List<String> REFLINKS = List.of("xfs", "btrfs");

    /** Ways with a direct lane or without, whose builds reuse content of the last build. */
    static final List<String> DELTAS = List.of("auto-delta", "auto-direct-delta");

    private static final List<String> WAYS = List.of("core", "auto", "auto-delta", "auto-direct", "auto-direct-delta");

    private interface Change {
        void to(History history) throws IOException;
    }

    private static final Map<String, Change> CHANGES = Map.of(
            "fat-jar", history -> history.fatJar(true),
            "new-times", history -> history.fatJar(false),
            "distribution", History::distribution,
            "reports", History::reports,
            "native", History::binary,
            "tar-gz", History::tarGz);

    /** Names of histories for {@code --data}. */
    static final List<String> NAMES = CHANGES.keySet().stream().sorted().toList();

    private final Path temp;
    private final Options options;
    private int jobs;

    BuildHistories(Path temp, Options options) {
        this.temp = temp;
        this.options = options;
    }

    /** Returns the histories that the user has named, or all. */
    private List<String> names() {
        List<String> named = NAMES.stream().filter(options.data::contains).toList();
        return named.isEmpty() ? NAMES : named;
    }

    /**
     * @param scale approximate size of the files in megabytes
     * @param fresh whether each build uses a new agent, like the given one
     */
    List<ResultRow> measure(List<AgentJvm> agents, int scale, boolean fresh) throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (String name : names()) {
            for (AgentJvm agent : agents) {
                rows.addAll(measure(agent, fresh, name, agent.measured(options.ways(WAYS)), scale));
            }
        }
        return rows;
    }

    /**
     * Measures a history. Each way has one job per round, and all ways archive a version of the files before the next
     * version. The first round warms up the controller and is not counted.
     */
    private List<ResultRow> measure(AgentJvm agent, boolean fresh, String data, List<String> ways, int scale)
            throws IOException, InterruptedException {
        String link = agent.link() + (fresh ? ", fresh" : "");
        Map<String, ResultRow> rows = new LinkedHashMap<>();
        for (int round = 0; round <= options.rounds; round++) {
            Path workspace = Files.createTempDirectory(temp, "history-");
            History history = new History(workspace, 1 + round, scale);
            int job = jobs + 1;
            jobs += ways.size();
            for (int build = 1; build <= BUILDS; build++) {
                CHANGES.get(data).to(history);
                history.next();
                String title = data + ", build " + build;
                long bytes = Listing.of(workspace).bytes();
                for (String way : ways) {
                    String name = agent.jenkins().title(way);
                    rows.computeIfAbsent(title + way, key -> new ResultRow(Section.HISTORIES, link, title, name, bytes));
                }
                for (int turn = 0; turn < ways.size(); turn++) {
                    int i = (turn + round + build) % ways.size(); // rotates the order of the ways
                    Sample sample = fresh
                            ? freshBuild(agent, ways.get(i), workspace, job + i)
                            : build(agent, ways.get(i), workspace, job + i);
                    if (round > 0) {
                        rows.get(title + ways.get(i)).samples().add(sample);
                    }
                }
            }
            PathUtils.deleteDirectory(workspace);
        }
        rows.values().forEach(row -> Bench.log("%s", row.describe()));
        return List.copyOf(rows.values());
    }

    /** Archives ten builds per setting, and measures the disk space that they use. */
    List<ResultRow> disk(AgentJvm agent, int scale) throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (String name : names()) {
            for (String method : methods()) {
                Path workspace = Files.createTempDirectory(temp, "history-");
                History history = new History(workspace, 1, scale);
                int job = ++jobs;
                long archived = 0;
                long used = 0;
                for (int build = 1; build <= MANY_BUILDS; build++) {
                    CHANGES.get(name).to(history);
                    history.next();
                    archived += Listing.of(workspace).bytes();
                    long before = free();
                    build(agent, "disk-" + method, workspace, job);
                    used += before - free();
                }
                rows.add(ResultRow.missing(
                        Section.DISK,
                        Files.getFileStore(temp).type(),
                        name + ", ten builds",
                        method,
                        String.format("%.1f MB used, %.1f MB archived", used / 1e6, archived / 1e6)));
                Bench.log("%s: %s", name, rows.get(rows.size() - 1));
                PathUtils.deleteDirectory(workspace);
            }
        }
        return rows;
    }

    private List<String> methods() throws IOException {
        return REFLINKS.contains(Files.getFileStore(temp).type())
                ? List.of("off", "reflinks", "hardlinks")
                : List.of("off", "hardlinks");
    }

    private long free() throws IOException, InterruptedException {
        new ProcessBuilder("sync").inheritIO().start().waitFor();
        return Files.getFileStore(temp).getUnallocatedSpace();
    }

    private static Sample freshBuild(AgentJvm template, String way, Path workspace, int job)
            throws IOException, InterruptedException {
        try (AgentJvm agent = template.another()) {
            agent.settle();
            return build(agent, way, workspace, job);
        }
    }

    private static Sample build(AgentJvm agent, String way, Path workspace, int job) throws IOException {
        Sample sample = agent.sample(
                "build", Map.of("way", way, "folder", workspace.toString(), "history", Integer.toString(job)));
        // a hard link has the timestamp of the oldest build
        if (!way.endsWith("hardlinks")) {
            DataSet.check(way, workspace, sample.archive, Listing.of(workspace).names());
        }
        return sample;
    }
}
