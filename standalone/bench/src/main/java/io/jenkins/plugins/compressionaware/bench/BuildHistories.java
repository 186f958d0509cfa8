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

/** Builds that follow each other, of which each archives much that the one before has archived. */
final class BuildHistories {
    /** The first has nothing before it, the second is the first that may gain. */
    private static final int BUILDS = 3;

    private static final int MANY_BUILDS = 10;

    /** Each with and without what the build before has. */
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

    /** What {@code --data} may name beside data sets. */
    static final List<String> NAMES = CHANGES.keySet().stream().sorted().toList();

    private final Path temp;
    private final Options options;
    private int jobs;

    BuildHistories(Path temp, Options options) {
        this.temp = temp;
        this.options = options;
    }

    /** Those that the user has named; all if there are none. */
    private List<String> names() {
        List<String> named = NAMES.stream().filter(options.data::contains).toList();
        return named.isEmpty() ? NAMES : named;
    }

    /**
     * @param scale of the files, about megabytes
     * @param fresh whether each build has an agent of its own, like the one given
     */
    List<ResultRow> measure(List<AgentJvm> agents, int scale, boolean fresh) throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (String name : names()) {
            for (AgentJvm agent : agents) {
                rows.addAll(measure(agent, fresh, name, agent.jenkins().measured(options.ways(WAYS)), scale));
            }
        }
        return rows;
    }

    /**
     * Each way has a job of its own in each round; all of them archive the same files before these change, in turns. The first round is not counted: a controller
     * runs for weeks, and has compiled what it needs.
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
                    int i = (turn + round + build) % ways.size(); // or one would always come after the same other
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
        rows.values().forEach(row -> Bench.say("%s", row.describe()));
        return List.copyOf(rows.values());
    }

    /** Ten builds, and how much of the disk they take. */
    List<ResultRow> disk(AgentJvm agent, int scale) throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (String name : names()) {
            for (String sharing : List.of("off", "reflinks", "hardlinks")) {
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
                    build(agent, "disk-" + sharing, workspace, job);
                    used += before - free();
                }
                rows.add(ResultRow.missing(
                        Section.DISK,
                        agent.jenkins().title("auto-direct"),
                        name + ", ten builds",
                        sharing,
                        String.format("%.1f MB used, %.1f MB archived", used / 1e6, archived / 1e6)));
                Bench.say("%s: %s", name, rows.get(rows.size() - 1));
                PathUtils.deleteDirectory(workspace);
            }
        }
        return rows;
    }

    private long free() throws IOException, InterruptedException {
        new ProcessBuilder("sync").inheritIO().start().waitFor();
        return Files.getFileStore(temp).getUnallocatedSpace();
    }

    private static Sample freshBuild(AgentJvm like, String way, Path workspace, int job)
            throws IOException, InterruptedException {
        try (AgentJvm agent = like.another()) {
            agent.settle();
            return build(agent, way, workspace, job);
        }
    }

    private static Sample build(AgentJvm agent, String way, Path workspace, int job) throws IOException {
        Sample sample = agent.sample(
                "build", Map.of("way", way, "folder", workspace.toString(), "history", Integer.toString(job)));
        // a hard link has the time of the oldest build
        if (!way.endsWith("hardlinks")) {
            DataSet.check(way, workspace, sample.archive, Listing.of(workspace).names());
        }
        return sample;
    }
}
