package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private static final Sample.Loading LOADING = new Sample.Loading(500, 20_000, 3_000, List.of(), 4, 5, 60_000, 1);

    @TempDir
    Path folder;

    private static ResultRow row(Section section, String link, String way, double... walls) {
        ResultRow row = new ResultRow(section, link, "text", way, 8_000_000);
        for (double wall : walls) {
            Sample sample = new Sample();
            sample.wallSeconds = wall;
            sample.agentCpu = 1;
            sample.controllerCpu = 2;
            sample.loading = LOADING;
            row.samples().add(sample);
        }
        return row;
    }

    private static Report.Run run(String command, String dataSet, List<ResultRow> rows) {
        return new Report.Run(command, "2026-01-05", "a machine, load 0.5 at the start", 3, List.of(dataSet), rows);
    }

    private String write(List<ResultRow> rows) throws IOException {
        new Report(List.of(run("./bench", "text: made up", rows))).write(folder);
        return page("benchmarks");
    }

    private String page(String name) throws IOException {
        return Files.readString(folder.resolve(name + ".md"));
    }

    @Test
    void decisionHasTwoRowsPerNetwork() throws IOException {
        ResultRow plugin = row(Section.ARCHIVE, "TCP", "auto-direct", 2, 1, 4);
        plugin.samples().forEach(sample -> sample.wireBytes = 5_500_000);
        String text = write(
                List.of(row(Section.ARCHIVE, "TCP", "core", 8, 7, 9), row(Section.ARCHIVE, "TCP", "tar", 1), plugin));
        assertTrue(text.contains("| network | | source files and logs, 8.0 MB |"), text);
        assertTrue(text.contains("| TCP | Jenkins, today | 8.0 s (7.0 to 9.0)<br>CPU 1.00 + 2.00 s |"), text);
        assertTrue(
                text.contains("| TCP | **with the plugin** | 2.0 s (1.0 to 4.0)<br>5.50 MB<br>CPU 1.00 + 2.00 s |"),
                text);
        assertFalse(text.contains("`tar`"), text);
        assertTrue(text.contains("**No figures yet:** Fresh agents; "), text);
        assertTrue(text.contains("; Packed artifacts."), text);
    }

    @Test
    void measuredPackedArtifactsAreNotMissing() throws IOException {
        assertFalse(write(List.of(row(Section.ARCHIVE, "TCP", "packed", 1))).contains("Packed artifacts"));
    }

    @Test
    void historiesShowTheSecondBuild() throws IOException {
        ResultRow second = new ResultRow(Section.HISTORIES, "TCP", "fat-jar, build 2", "auto-direct-delta", 24_000_000);
        second.samples().addAll(row(Section.HISTORIES, "TCP", "", 2).samples());
        ResultRow third = new ResultRow(Section.HISTORIES, "TCP", "fat-jar, build 3", "auto-direct-delta", 24_000_000);
        third.samples().addAll(row(Section.HISTORIES, "TCP", "", 7).samples());
        String text = write(List.of(second, third));
        assertTrue(text.contains("| a jar of jars, build 2, 24 MB |\n"), text);
        assertTrue(text.contains("| TCP | **with the plugin, which reuses content** | 2.0 s (one run)"), text);
        assertFalse(text.contains("build 3"), text);
    }

    @Test
    void diskSpaceHasOneRowPerSetting() throws IOException {
        String text = write(List.of(
                ResultRow.missing(Section.DISK, "tmpfs", "native, ten builds", "off", "200 MB used"),
                ResultRow.missing(Section.DISK, "tmpfs", "native, ten builds", "hardlinks", "20 MB used")));
        assertTrue(text.contains("| disk | | a native binary, ten builds |"), text);
        assertTrue(text.contains("| tmpfs | `deduplicate: \"hardlinks\"` | 20 MB used |"), text);
    }

    @Test
    void singleRunIsCalledSo() throws IOException {
        assertTrue(write(List.of(row(Section.LARGE, "TCP", "core", 5))).contains("5.0 s (one run)"));
        assertTrue(page("benchmarks-method")
                .contains("# large, on 2026-01-05, a machine, one run, load 0.5 at the start\n./bench\n"));
    }

    @Test
    void otherWaysHavePagesOfTheirOwn() throws IOException {
        write(List.of(
                row(Section.ARCHIVE, "TCP", "core", 3),
                row(Section.ARCHIVE, "TCP", "tar", 2),
                row(Section.ARCHIVE, "WebSocket", "core", 3),
                row(Section.SHAPED, "TCP", "auto", 1)));
        assertTrue(page("benchmarks-tools").contains("| TCP | `tar` | 2.0 s<br>"), page("benchmarks-tools"));
        assertFalse(page("benchmarks-tools").contains("WebSocket"), "no other tool was measured there");
        assertTrue(page("benchmarks-settings").contains("| TCP | `directHttp: \"off\"` | 1.0 s<br>"));
    }

    @Test
    void storageIsShownBesideTheTime() throws IOException {
        ResultRow packed = row(Section.ARCHIVE, "TCP", "packed", 1);
        packed.samples().forEach(sample -> {
            sample.diskBytes = 21_500_000L;
            sample.inodes = 3L;
        });
        String line = "packed** | 1.0 s (one run)<br>CPU 1.00 + 2.00 s<br>disk 21.5 MB, 3 inodes |";
        String text = write(List.of(packed));
        assertTrue(text.contains(line), text);
    }

    @Test
    void storeIsComparedOnThePageOfOtherTools() throws IOException {
        ResultRow plugin = row(Section.STORE, "TCP, store at 20 ms, archive", "s3", 0.5);
        ResultRow other = row(Section.STORE, "TCP, store at 20 ms, archive", "s3-plugin", 300);
        for (ResultRow stored : List.of(plugin, other)) {
            stored.samples().forEach(sample -> {
                sample.diskBytes = stored == plugin ? 700_000L : 8_000_000L;
                sample.objects = stored == plugin ? 1L : 1_000L;
            });
        }
        String text = write(List.of(plugin, other));
        assertFalse(text.contains("store at 20 ms") || text.contains(Section.STORE.title), text);
        String tools = page("benchmarks-tools");
        assertTrue(tools.contains("## Archives and stashes in a store\n"), tools);
        String line = "| TCP, store at 20 ms, archive | %s s<br>CPU 1.00 + 2.00 s<br>store %s |\n";
        assertTrue(tools.contains(line.formatted("the plugin with `store` | 0.50", "0.70 MB, 1 object")), tools);
        assertTrue(
                tools.contains(line.formatted("Artifact Manager on S3 | 300", "8.00 MB, 1,000 objects")), tools);
        assertFalse(Files.exists(folder.resolve("images/bench-store.svg")));
    }

    @Test
    void pageHasNoStoreThatWasNotMeasured() throws IOException {
        write(List.of(row(Section.ARCHIVE, "TCP", "core", 1), row(Section.ARCHIVE, "TCP", "s3", 1)));
        assertFalse(page("benchmarks-tools").contains("store"), page("benchmarks-tools"));
    }

    @Test
    void missingMeasurementShowsReason() throws IOException {
        String text = write(List.of(
                row(Section.FRESH, "TCP", "core", 1),
                ResultRow.missing(Section.FRESH, "SSH", "text", "core", "OpenSSH is not installed")));
        assertTrue(text.contains("| SSH | Jenkins, today | OpenSSH is not installed |"), text);
    }

    @Test
    void chartHasDefaultsAndTwoTools() throws IOException {
        write(List.of(
                row(Section.SHAPED, "TCP", "core", 1),
                row(Section.SHAPED, "TCP", "rsync", 9),
                row(Section.SHAPED, "TCP", "tar", 3.3)));
        String chart = Files.readString(folder.resolve("images/bench-shaped.svg"));
        assertTrue(chart.contains(">3.3</text>") && chart.contains(">Jenkins itself</text>"), chart);
        assertFalse(chart.contains("rsync"), chart);
        assertTrue(chart.contains("prefers-color-scheme: dark") && chart.contains("var(--ink)"), chart);
    }

    @Test
    void chartOmitsToolThatWasNotMeasuredEverywhere() throws IOException {
        write(List.of(
                row(Section.SHAPED, "TCP, 1 Gbit/s", "core", 1),
                row(Section.SHAPED, "TCP, 1 Gbit/s", "tar", 3.3),
                row(Section.SHAPED, "TCP, 10 Mbit/s", "core", 1),
                row(Section.SHAPED, "TCP, 10 Mbit/s", "scp", 7.7),
                row(Section.SHAPED, "TCP, 10 Mbit/s", "tar", 4.4)));
        String chart = Files.readString(folder.resolve("images/bench-shaped.svg"));
        assertTrue(chart.contains(">3.3</text>") && chart.contains(">4.4</text>"), chart);
        assertFalse(chart.contains("scp") || chart.contains(">7.7</text>"), chart);
    }

    @Test
    void chartOfStashesHasUnstashesOfWarmAgents() throws IOException {
        write(List.of(
                row(Section.STASH, "TCP, stash", "core", 1.1),
                row(Section.STASH, "TCP, unstash", "core", 2.2),
                row(Section.STASH, "TCP, fresh, stash", "core", 3.3)));
        String chart = Files.readString(folder.resolve("images/bench-stash.svg"));
        assertTrue(chart.contains(">1.1</text>") && chart.contains(">2.2</text>"), chart);
        assertFalse(chart.contains(">3.3</text>"), chart);
    }

    @Test
    void chartOfGainIsOfOneLink() throws IOException {
        write(List.of(
                row(Section.ARCHIVE, "TCP", "core", 1.1),
                row(Section.ARCHIVE, "WebSocket", "core", 2.2)));
        assertFalse(Files.readString(folder.resolve("images/bench-gain.svg")).contains(">2.2</text>"));
    }

    @Test
    void handWrittenEndIsKept() throws IOException {
        Files.writeString(folder.resolve("benchmarks.md"), "old results\n<!-- end of results -->\n## Under load\n");
        String text = write(List.of(row(Section.ARCHIVE, "TCP", "core", 1)));
        assertTrue(text.endsWith("\n<!-- end of results -->\n## Under load\n"), text);
        assertFalse(text.contains("old results"), text);
    }

    @Test
    void plotsOfPreviousRunsAreDeleted() throws IOException {
        Path old = Files.createDirectories(folder.resolve("images")).resolve("bench-old.svg");
        Files.writeString(old, "");
        Path other = Files.writeString(folder.resolve("images/page.png"), "");
        write(List.of(row(Section.ARCHIVE, "loopback", "core", 1)));
        assertFalse(Files.exists(old));
        assertTrue(Files.exists(other));
        assertTrue(Files.readString(folder.resolve("images/bench-archive.svg")).contains("<svg"));
    }

    @Test
    void jsonHasAllSamples() throws IOException {
        write(List.of(row(Section.ARCHIVE, "loopback", "core", 1, 2, 3)));
        String json = Files.readString(folder.resolve("data/benchmarks.json"));
        assertEquals(
                3,
                new Gson()
                        .fromJson(json, Report.class)
                        .runs()
                        .get(0)
                        .rows()
                        .get(0)
                        .samples()
                        .size());
    }

    @Test
    void sectionsAndDataThatAreNotMeasuredAgainAreKept() throws IOException {
        ResultRow otherData = new ResultRow(
                Section.STASH,
                "TCP",
                "jars",
                "core",
                5,
                row(Section.STASH, "TCP", "core", 5.5).samples(),
                null);
        write(List.of(row(Section.ARCHIVE, "TCP", "core", 1.11), row(Section.STASH, "TCP", "core", 2.22), otherData));
        Report.Run second = run(
                "./bench --add",
                "text: 9.5 MB, larger",
                List.of(row(Section.STASH, "TCP", "core", 3.33), row(Section.FRESH, "TCP", "core", 4.44)));
        Report.read(folder).with(second).write(folder);
        String text = page("benchmarks");
        assertTrue(
                text.contains("1.1 s") && text.contains("3.3 s") && text.contains("4.4 s") && text.contains("5.5 s"),
                text);
        assertFalse(text.contains("2.2 s"), text);
        String method = page("benchmarks-method");
        assertTrue(
                method.contains(
                        "# archive, stash, on 2026-01-05, a machine, one run, load 0.5 at the start\n./bench\n# stash, fresh, on"),
                method);
        assertTrue(method.contains("\nMachine: a machine.\n"), method);
        assertTrue(method.contains("- text: 9.5 MB, larger\n") && !method.contains("made up"), method);
    }
}
