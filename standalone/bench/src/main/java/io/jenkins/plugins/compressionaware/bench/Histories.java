package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.JsonObject;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.testkit.History;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Builds that follow each other, of which each archives much that the one before has archived. */
final class Histories {
    /** The first has nothing before it, the second is the first that may gain. */
    private static final int BUILDS = 3;

    private static final int MANY_BUILDS = 10;

    /** Each with and without what the build before has. */
    static final List<String> DELTAS = List.of("auto-delta", "auto-direct-delta");

    static final List<String> WAYS = List.of("core", "auto", "auto-delta", "auto-direct", "auto-direct-delta");

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
    private final Progress progress;
    private final int rounds;
    private int histories;

    Histories(Path temp, Progress progress, int rounds) {
        this.temp = temp;
        this.progress = progress;
        this.rounds = rounds;
    }

    /**
     * @param data  which histories; all if it names none
     * @param scale of the files, about megabytes
     */
    List<Row> measure(List<AgentJvm> agents, String link, List<String> data, int scale, List<String> ways) throws IOException {
        List<Row> rows = new ArrayList<>();
        List<String> named = NAMES.stream().filter(data::contains).toList();
        for (String name : named.isEmpty() ? NAMES : named) {
            for (AgentJvm agent : agents) {
                rows.addAll(measure(agent, link, name, agent.jenkins().measured(ways), scale));
            }
        }
        return rows;
    }

    /**
     * Each way has a job of its own in each round; all of them archive the same files before these change, in turns. The first round is not counted: a controller
     * runs for weeks, and has compiled what it needs.
     */
    private List<Row> measure(AgentJvm agent, String link, String data, List<String> ways, int scale) throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            Path workspace = Files.createTempDirectory(temp, "history-");
            History history = new History(workspace, 1 + round, scale);
            int job = histories + 1;
            histories += ways.size();
            for (int build = 1; build <= BUILDS; build++) {
                CHANGES.get(data).to(history);
                history.next();
                String title = data + ", build " + build;
                long bytes = bytes(workspace);
                for (String way : ways) {
                    String name = agent.jenkins().title(way);
                    rows.computeIfAbsent(title + way, key -> new Row(Section.HISTORIES, link, title, name, bytes));
                }
                for (int turn = 0; turn < ways.size(); turn++) {
                    int i = (turn + round + build) % ways.size(); // or one would always come after the same other
                    Sample sample = build(agent, ways.get(i), workspace, String.valueOf(job + i));
                    if (round > 0) {
                        rows.get(title + ways.get(i)).samples().add(sample);
                    }
                }
            }
            TempFolder.delete(workspace);
        }
        rows.values().forEach(row -> progress.say("%s", row.describe()));
        return List.copyOf(rows.values());
    }

    /** Ten builds, and how much of the disk they take. */
    List<Row> disk(AgentJvm agent, List<String> data, int scale) throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        List<String> named = NAMES.stream().filter(data::contains).toList();
        for (String name : named.isEmpty() ? NAMES : named) {
            for (String sharing : List.of("off", "reflinks", "hardlinks")) {
                Path workspace = Files.createTempDirectory(temp, "history-");
                History history = new History(workspace, 1, scale);
                String job = String.valueOf(++histories);
                long archived = 0;
                long used = 0;
                for (int build = 1; build <= MANY_BUILDS; build++) {
                    CHANGES.get(name).to(history);
                    history.next();
                    archived += bytes(workspace);
                    long before = free();
                    build(agent, "disk-" + sharing, workspace, job);
                    used += before - free();
                }
                rows.add(Row.missing(
                        Section.DISK,
                        agent.jenkins().title("auto-direct"),
                        name + ", ten builds",
                        sharing,
                        String.format("%.1f MB used, %.1f MB archived", used / 1e6, archived / 1e6)));
                progress.say("%s: %s", name, rows.get(rows.size() - 1));
                TempFolder.delete(workspace);
            }
        }
        return rows;
    }

    private long free() throws IOException, InterruptedException {
        new ProcessBuilder("sync").inheritIO().start().waitFor();
        return Files.getFileStore(temp).getUnallocatedSpace();
    }

    private static long bytes(Path workspace) throws IOException {
        long bytes = 0;
        for (String name : Trees.names(workspace).keySet()) {
            bytes += Files.size(workspace.resolve(name));
        }
        return bytes;
    }

    private static Sample build(AgentJvm agent, String way, Path workspace, String history) throws IOException {
        double agentCpu = agent.cpuSeconds();
        JsonObject answer = agent.jenkins()
                .ask(
                        "build",
                        Map.of("agent", agent.name(), "way", way, "folder", workspace.toString(), "history", history));
        Set<String> names = Trees.names(workspace).keySet();
        // a hard link has the time of the oldest build
        Optional<String> difference = way.endsWith("hardlinks")
                ? Optional.empty()
                : Trees.difference(workspace, Path.of(answer.get("archive").getAsString()), names);
        if (difference.isPresent()) {
            throw new IOException(way + ": " + difference.get());
        }
        return new Sample(
                answer.get("nanos").getAsLong() / 1e9,
                answer.get("wireBytes").getAsLong(),
                agent.cpuSeconds() - agentCpu,
                answer.get("cpu").getAsLong() / 1e9,
                null,
                null,
                null,
                answer.get("log").getAsString() + index(answer));
    }

    /** What making the index of the build has taken of the controller, empty if there is none. */
    private static String index(JsonObject answer) {
        long bytes = answer.get("index").getAsLong();
        double cpu = (answer.get("cpuWithIndex").getAsLong() - answer.get("cpu").getAsLong()) / 1e9;
        return bytes == 0 ? "" : String.format(" index %d bytes, %.2f s of the controller's CPU time", bytes, cpu);
    }
}
