package io.jenkins.plugins.compressionaware.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code tar | gzip} as external programs of a JVM with a large heap, and the same work inside it. */
final class ForkReplay {
    private static final List<String> PROGRAMS = List.of("bash", "tar", "gzip");

    private final DataSet set;
    private final Path temp;
    private final int heapMegabytes;

    ForkReplay(DataSet set, Path temp, int heapMegabytes) {
        this.set = set;
        this.temp = temp;
        this.heapMegabytes = heapMegabytes;
    }

    Replay measure(int rounds, Progress progress) throws IOException, InterruptedException {
        String question =
                "Forking tar | gzip from a JVM with a heap of " + heapMegabytes + " MiB against staying in process";
        Optional<String> missing = PROGRAMS.stream()
                .filter(program -> Programs.find(program).isEmpty())
                .findFirst();
        if (missing.isPresent()) {
            return new Replay(question, List.of(), "Not measured: " + missing.get() + " is not installed.");
        }
        List<Row> rows = new ArrayList<>();
        for (ForkProbe.Work work : ForkProbe.Work.values()) {
            rows.add(Replays.row(set.name(), work.title(), work.moves() ? set.listing().bytes() : 0));
        }
        run(rounds, rows);
        Row launch = rows.get(ForkProbe.Work.LAUNCH.ordinal());
        Row external = rows.get(ForkProbe.Work.EXTERNAL.ordinal());
        Row inside = rows.get(ForkProbe.Work.GZIP.ordinal());
        Row zstd = rows.get(ForkProbe.Work.ZSTD.ordinal());
        rows.forEach(row -> progress.say("%-30s %.3f s", row.way(), Replays.wall(row)));
        return new Replay(question, rows, shows(launch, external, inside, zstd));
    }

    private static String shows(Row launch, Row external, Row inside, Row zstd) {
        double gzip = Replays.wall(external) / Replays.wall(inside);
        double gain = Replays.wall(external) / Replays.wall(zstd);
        String shows = String.format(
                "To start one process takes %.1f ms. The external programs take %.2f times as long as tar and gzip in process, and"
                        + " %.2f times as long as tar and zstd in process. ",
                1000 * Replays.wall(launch), gzip, gain);
        return shows
                + (gain > 1
                        ? "What stays in process can take the faster codec on any agent and is ahead, so nothing on the archive path forks."
                        : "This run does not speak against external programs; that nothing on the archive path forks then only spares the"
                                + " agent the dependence on them.");
    }

    private void run(int rounds, List<Row> rows) throws IOException, InterruptedException {
        String heap = heapMegabytes + "m";
        Process probe = new ProcessBuilder(
                        AgentJvm.java(),
                        "-Xms" + heap,
                        "-Xmx" + heap,
                        "-XX:+AlwaysPreTouch",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForkProbe.class.getName(),
                        set.folder().toString(),
                        temp.toString(),
                        Integer.toString(rounds))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = probe.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                String[] fields = line.split(" ");
                rows.get(Integer.parseInt(fields[0]))
                        .samples()
                        .add(Sample.ofWallAndCpu(Double.parseDouble(fields[1]), Double.parseDouble(fields[2])));
            }
        }
        if (probe.waitFor() != 0) {
            throw new IOException("The process that forks has failed");
        }
    }
}
