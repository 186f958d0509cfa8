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
        return Files.readString(folder.resolve("benchmarks.md"));
    }

    @Test
    void tableShowsMediansAndSpeedRelativeToCore() throws IOException {
        List<String> text = write(
                        List.of(row(Section.ARCHIVE, "TCP", "core", 8, 7, 9), row(Section.ARCHIVE, "TCP", "auto", 2, 1, 4)))
                .lines()
                .map(line -> line.replaceAll(" +", " "))
                .toList();
        assertTrue(text.contains("| link | way | text |"), text.toString());
        assertTrue(text.contains("| TCP | core | 8.00 |"), text.toString());
        assertTrue(text.contains("| TCP | auto | 2.00 (4.0) |"), text.toString());
        assertTrue(text.contains("| TCP | auto | 1.00 + 2.00 |"), text.toString());
    }

    @Test
    void reportShowsLoadedClassesOfFreshAgents() throws IOException {
        String text = write(List.of(row(Section.FRESH, "TCP", "core", 6), row(Section.FRESH, "TCP", "auto", 3)));
        assertTrue(text.contains("500; 20, 3; 5 + 4"), text);
    }

    @Test
    void missingMeasurementShowsReason() throws IOException {
        String text = write(List.of(
                row(Section.FRESH, "TCP", "core", 1),
                ResultRow.missing(Section.FRESH, "SSH", "text", "core", "OpenSSH is not installed")));
        assertTrue(text.replaceAll(" +", " ").contains("| SSH | core | OpenSSH is not installed |"), text);
    }

    @Test
    void headingsShowLinksAndSizes() throws IOException {
        ResultRow slow = new ResultRow(Section.SHAPED, "TCP, 10 Mbit/s", "text", "tar", 4_000_000);
        slow.samples().addAll(row(Section.SHAPED, "", "", 3.3).samples());
        String text = write(List.of(row(Section.SHAPED, "TCP, fast", "core", 1), row(Section.SHAPED, "WebSocket, fast", "core", 1), slow));
        assertTrue(text.contains("\n### TCP, WebSocket, fast: text 8.0 MB\n"), text);
        assertTrue(text.contains("\n### TCP, 10 Mbit/s: text 4.0 MB\n"), text);
        assertTrue(text.contains("\nThe chart shows seconds, of text:\n"), text);
        assertTrue(text.contains("\n- *tar*: "), text);
        String chart = Files.readString(folder.resolve("images/bench-shaped.svg"));
        assertTrue(chart.contains(">3.3</text>") && chart.contains(">seconds</text>"), chart);
        assertTrue(chart.contains("prefers-color-scheme: dark") && chart.contains("var(--ink)"), chart);
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
        assertEquals(3, new Gson().fromJson(json, Report.class).runs().get(0).rows().get(0).samples().size());
    }

    @Test
    void sectionsAndDataThatAreNotMeasuredAgainAreKept() throws IOException {
        ResultRow otherData = new ResultRow(Section.STASH, "TCP", "jars", "core", 5, row(Section.STASH, "TCP", "core", 5.55).samples(), null);
        write(List.of(row(Section.ARCHIVE, "TCP", "core", 1.11), row(Section.STASH, "TCP", "core", 2.22), otherData));
        Report.Run second = run(
                "./bench --add", "text: 9.5 MB, larger", List.of(row(Section.STASH, "TCP", "core", 3.33), row(Section.FRESH, "TCP", "core", 4.44)));
        Report.read(folder).with(second).write(folder);
        String text = Files.readString(folder.resolve("benchmarks.md"));
        assertTrue(text.contains("1.11") && text.contains("3.33") && text.contains("4.44") && text.contains("5.55"), text);
        assertFalse(text.contains("2.22"), text);
        assertTrue(text.contains("- archive, stash, on 2026-01-05, 3 rounds, load 0.5 at the start:\n  `./bench`\n- stash, fresh, on"), text);
        assertTrue(text.contains("\nMachine: a machine.\n"), text);
        assertTrue(text.contains("- text: 9.5 MB, larger\n") && !text.contains("made up"), text);
    }
}
