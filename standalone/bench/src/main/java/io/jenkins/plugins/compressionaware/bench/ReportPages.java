package io.jenkins.plugins.compressionaware.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The text of a report's pages: for who decides, other settings, other tools, how it was measured. */
final class ReportPages {
    static final String DECISION = "benchmarks.md";
    static final String SETTINGS = "benchmarks-settings.md";
    static final String TOOLS = "benchmarks-tools.md";
    static final String METHOD = "benchmarks-method.md";

    private static final String CORE = "core";
    private static final String PLUGIN = "auto-direct";

    /** Ways of the plugin with other settings than the default, with the words of the page. */
    private static final Map<String, String> SETTING_WAYS = new LinkedHashMap<>();

    /** Other programs, and Jenkins itself with another setting. */
    private static final Map<String, String> TOOL_WAYS = new LinkedHashMap<>();

    private static final Map<String, String> STORE_WAYS = new LinkedHashMap<>();

    static {
        SETTING_WAYS.put("auto", "`directHttp: \"off\"`");
        SETTING_WAYS.put("auto-direct-https", "an https Jenkins URL");
        SETTING_WAYS.put("none", "`codec: none`, `directHttp: \"off\"`");
        SETTING_WAYS.put("lz4", "`codec: lz4`, `directHttp: \"off\"`");
        SETTING_WAYS.put("gzip", "`codec: gzip`, `directHttp: \"off\"`");
        SETTING_WAYS.put("zstd", "`codec: zstd`, `directHttp: \"off\"`");
        TOOL_WAYS.put("core-none", "Jenkins without compression");
        TOOL_WAYS.put("compress-artifacts", "Compress Artifacts");
        TOOL_WAYS.put(StoreRuns.PLUGIN, "Artifact Manager on S3");
        TOOL_WAYS.put("scp", "`scp`");
        TOOL_WAYS.put("rsync", "`rsync`");
        TOOL_WAYS.put("rsync-second", "`rsync` again");
        TOOL_WAYS.put("tar", "`tar`");
        STORE_WAYS.put(CORE, "Jenkins itself");
        STORE_WAYS.put(JenkinsBench.STORE, "the plugin with `store`");
        STORE_WAYS.put(StoreRuns.PLUGIN, TOOL_WAYS.get(StoreRuns.PLUGIN));
    }

    /** Sections that compare the plugin with others which few readers have, so that only the page of other tools shows them. */
    private static final Set<Section> ONLY_OF_TOOLS = Set.of(Section.READ, Section.STORE);

    /** Parts of the names of links that repeat a measurement on the same agent. */
    private static final Pattern AGAIN = Pattern.compile("second time|third time");

    /** The part of a machine's description that differs in each run. */
    private static final Pattern LOAD = Pattern.compile(", load [0-9.]+ at the start");

    private static final Pattern SIZE = Pattern.compile("([0-9.]+) MB");

    private ReportPages() {}

    /** Returns the pages by name. */
    static Map<String, List<String>> of(List<Report.Run> runs) {
        List<ResultRow> rows = runs.stream().flatMap(run -> run.rows().stream()).toList();
        return Map.of(
                DECISION, decision(rows),
                SETTINGS, compared(rows, "Benchmarks: other settings", """
                    The plugin with one setting other than the default. Fixed codecs were measured without direct HTTP transfer. \
                    In YAML:

                    ```yaml
                    unclassified:
                      artifactManager:
                        artifactManagerFactories:
                          - compressionAware:
                              directHttp: "off"
                    ```\
                    """, SETTING_WAYS),
                TOOLS,
                        compared(
                                rows,
                                "Benchmarks: other tools",
                                "`scp -r -p` and `rsync -a` over SSH with the cipher aes128-gcm; `rsync` again over an"
                                    + " existing copy, in which a tenth of every thirtieth file differs; `tar cf -`"
                                    + " into a TCP socket and `tar xpf -` at its other end, without compression,"
                                    + " encryption or verification; the plugin Compress Artifacts, which packs a zip"
                                    + " on the agent and keeps it. Bytes of other programs were not counted.\n\n"
                                    + "![Archive, in seconds]("
                                        + Report.plot("archive") + ")",
                                TOOL_WAYS),
                METHOD, method(runs, rows));
    }

    private static List<String> decision(List<ResultRow> rows) {
        List<String> lines = new ArrayList<>(List.of(
                "# Benchmarks",
                "",
                "*Jenkins, today* is Jenkins itself with its default compression. *With the plugin* means its defaults,"
                    + " but `reuse: \"off\"`, so that each run sends everything; *which reuses content* is the default. *Packed*"
                    + " is `storage: \"packed\"`, *in a store* is `store` with SeaweedFS on the same machine. Cells have the median"
                    + " time with the shortest and longest run, the bytes between agent and controller (not those to a store),"
                    + " the CPU time of agent + controller, and for archives what the controller stores. [Other"
                    + " settings](" + SETTINGS + "), [other tools](" + TOOLS + "), [how it was measured]("
                        + METHOD + ").",
                ""));
        List<String> missing = new ArrayList<>();
        Map<String, String> ways = new LinkedHashMap<>();
        ways.put(CORE, "Jenkins, today");
        ways.put(PLUGIN, "**with the plugin**");
        ways.put("auto-direct-delta", "**with the plugin, which reuses content**");
        ways.put(JenkinsBench.PACKED, "**with the plugin, packed**");
        ways.put(JenkinsBench.STORE, "**with the plugin, in a store**");
        List.of("off", "reflinks", "hardlinks").forEach(way -> ways.put(way, "`deduplicate: \"" + way + "\"`"));
        for (Section section : Section.values()) {
            if (ONLY_OF_TOOLS.contains(section)) {
                continue;
            }
            List<ResultRow> found = section(rows, section);
            if (found.isEmpty()) {
                if (section != Section.ENGINE) {
                    missing.add(section.title);
                }
                continue;
            }
            lines.addAll(List.of("## " + section.title, ""));
            lines.addAll(tables(found, ways, true));
            if (Report.hasPlot(section)) {
                lines.addAll(List.of("![" + section.title + ", in seconds](" + Report.plot(section.name()) + ")", ""));
            }
        }
        if (rows.stream().noneMatch(row -> row.way().equals(JenkinsBench.PACKED))) {
            missing.add("Packed artifacts");
        }
        if (!missing.isEmpty()) {
            lines.addAll(List.of("**No figures yet:** " + String.join("; ", missing) + ".", ""));
        }
        return lines;
    }

    private static List<String> compared(List<ResultRow> rows, String title, String text, Map<String, String> others) {
        Map<String, String> ways = new LinkedHashMap<>();
        if (others == TOOL_WAYS) {
            ways.put(CORE, "Jenkins itself");
        }
        ways.put(PLUGIN, "the plugin's defaults");
        ways.putAll(others);
        List<String> lines = new ArrayList<>(List.of("# " + title, "", text, ""));
        for (Section section : Section.values()) {
            Set<String> links = section(rows, section).stream()
                    .filter(row -> others.containsKey(row.way()))
                    .map(ResultRow::link)
                    .collect(Collectors.toSet());
            List<ResultRow> found = section(rows, section).stream()
                    .filter(row -> links.contains(row.link()))
                    .toList();
            if (!found.isEmpty()) {
                lines.addAll(List.of("## " + section.title, ""));
                lines.addAll(tables(found, section == Section.STORE ? STORE_WAYS : ways, false));
            }
        }
        return lines;
    }

    private static List<ResultRow> section(List<ResultRow> rows, Section section) {
        return rows.stream()
                .filter(row -> row.section() == section && isShown(row))
                .toList();
    }

    /** Returns whether the pages show a row: of repeated measurements on one agent the first, of histories the second build. */
    private static boolean isShown(ResultRow row) {
        return !AGAIN.matcher(row.link()).find()
                && (row.section() != Section.HISTORIES || row.data().endsWith(BuildHistories.SECOND));
    }

    /** Returns a table for the links with data sets of the same sizes: a line per link and way, and a column per data set. */
    private static List<String> tables(List<ResultRow> rows, Map<String, String> ways, boolean withRange) {
        Map<String, Set<String>> sizes = rows.stream()
                .collect(Collectors.groupingBy(
                        ResultRow::link, Collectors.mapping(ResultRow::sizedData, Collectors.toSet())));
        Collection<List<ResultRow>> groups = rows.stream()
                .collect(Collectors.groupingBy(row -> sizes.get(row.link()), LinkedHashMap::new, Collectors.toList()))
                .values();
        List<String> lines = new ArrayList<>();
        for (List<ResultRow> group : groups) {
            List<String> data =
                    group.stream().map(ResultRow::sizedData).distinct().toList();
            Section section = group.get(0).section();
            String first = section == Section.DISK || section == Section.SLOW ? "disk" : "network";
            lines.add("| " + first + " | | " + String.join(" | ", data) + " |");
            lines.add("|---|---" + "|---".repeat(data.size()) + "|");
            for (String link : group.stream().map(ResultRow::link).distinct().toList()) {
                ways.forEach((way, words) -> {
                    Function<String, String> cell = set -> group.stream()
                            .filter(row -> row.link().equals(link)
                                    && row.way().equals(way)
                                    && row.sizedData().equals(set))
                            .findFirst()
                            .map(row -> cell(row, withRange))
                            .orElse("");
                    List<String> cells = data.stream().map(cell).toList();
                    if (cells.stream().anyMatch(text -> !text.isEmpty())) {
                        lines.add("| " + words(link) + " | " + words + " | " + String.join(" | ", cells) + " |");
                    }
                });
            }
            lines.add("");
        }
        return lines;
    }

    private static String words(String link) {
        return link.replace(", fresh", ", new agent")
                .replaceFirst("per operation, (archive|delete)$", "per operation, builds' folder: $1")
                .replaceFirst("per operation, (unstash|fetch)$", "per operation, agent's disk: $1")
                .replaceFirst("per operation, workspace$", "per operation, workspace: archive");
    }

    private static String cell(ResultRow row, boolean withRange) {
        if (row.samples().isEmpty()) {
            return row.remark();
        }
        String range = row.samples().size() == 1
                ? " (one run)"
                : row.wall()
                        .map(s -> String.format(" (%s to %s)", seconds(s.least()), seconds(s.greatest())))
                        .orElseThrow();
        return seconds(row.wall().orElseThrow().median()) + " s" + (withRange ? range : "")
                + (row.megabytes() == 0
                        ? ""
                        : String.format(
                                row.megabytes() < 1
                                        ? "<br>%.2g MB"
                                        : row.megabytes() < 999.5 ? "<br>%.3g MB" : "<br>%,.0f MB",
                                row.megabytes()))
                + "<br>CPU " + row.cpu() + " s"
                + (row.section() == Section.ARCHIVE || row.section() == Section.STORE ? row.storage() : "");
    }

    private static String seconds(double seconds) {
        return String.format(seconds < 99.5 ? "%.2g" : "%.0f", seconds);
    }

    private static List<String> method(List<Report.Run> runs, List<ResultRow> rows) {
        List<String> lines = new ArrayList<>(List.of(
                "# Benchmarks: how it was measured",
                "",
                "[benchmarks.json](" + Report.DATA
                        + ") has every run, with bytes, heap, and loaded classes. Figures are medians of the runs, in"
                        + " which all ways took turns. CPU seconds are those of whole processes, agent + controller,"
                        + " or sender + receiver. A MB is 10^6 bytes. `./bench --pages --out=docs` writes these pages"
                        + " and charts from that file.",
                "",
                "```sh"));
        runs.forEach(run -> lines.addAll(List.of("# " + describe(run), run.command())));
        lines.addAll(List.of(
                "```",
                "",
                "Machine: "
                        + runs.stream()
                                .map(run -> LOAD.matcher(run.machine()).replaceFirst(""))
                                .distinct()
                                .collect(Collectors.joining("; "))
                        + ".",
                "",
                "The largest data sets; a smaller set is a part, and each table has its size."
                        + " Random bytes represent a compressed file:",
                ""));
        largestDataSets(runs).forEach(set -> lines.add("- " + set.replace(": 1 files", ": 1 file")));
        lines.add("");
        for (Section section : Section.values()) {
            if (!section(rows, section).isEmpty()) {
                lines.addAll(List.of("**" + section.title + ".** " + section.explanation, ""));
            }
        }
        return lines;
    }

    private static String describe(Report.Run run) {
        String sections = run.rows().stream()
                .map(row -> row.section().name().toLowerCase(Locale.ROOT))
                .distinct()
                .collect(Collectors.joining(", "));
        int[] counts = run.rows().stream()
                .mapToInt(row -> row.samples().size())
                .filter(count -> count > 0)
                .distinct()
                .sorted()
                .toArray();
        String rounds = counts.length == 0 || counts.length == 1 && counts[0] == 1
                ? "one run"
                : Arrays.stream(counts).mapToObj(Integer::toString).collect(Collectors.joining(" or ")) + " rounds";
        Matcher load = LOAD.matcher(run.machine());
        String processor = run.machine().split(",", 2)[0];
        return String.format(
                "%s, on %s, %s, %s%s", sections, run.date(), processor, rounds, load.find() ? load.group() : "");
    }

    /** Returns the description of the largest set of each name. */
    private static Collection<String> largestDataSets(List<Report.Run> runs) {
        Map<String, String> largest = new LinkedHashMap<>();
        runs.stream()
                .flatMap(run -> run.dataSets().stream())
                .forEach(set -> largest.merge(
                        set.split(":")[0], set, (one, other) -> megabytes(one) >= megabytes(other) ? one : other));
        return largest.values();
    }

    private static double megabytes(String set) {
        Matcher size = SIZE.matcher(set);
        return size.find() ? Double.parseDouble(size.group(1)) : 0;
    }

    /** Returns whether a chart shows a way: with more bars, the longest would make the others unreadable. */
    static boolean isInPlot(ResultRow row) {
        return isShown(row)
                && (isDefault(row) || Stream.of("scp", "tar", "auto-direct-delta").anyMatch(row.way()::equals));
    }

    /** Returns whether a row is of Jenkins itself, or of the plugin with its defaults. */
    static boolean isDefault(ResultRow row) {
        return row.way().equals(CORE) || row.way().equals(PLUGIN);
    }
}
