package io.jenkins.plugins.compressionaware.bench;

import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.svg.SVGGraphics2D;

/** Draws bars of elapsed seconds, grouped by data set or link. */
final class Plot {
    private static final int WIDTH = 900;
    private static final int BAR = 14;
    /** Height of the space between two groups, and of everything around the bars. */
    private static final int GAP = 16;

    private static final int FRAME = 110;

    /** Ways that have a colour of their own, in the order of the colours. */
    private static final List<String> WAYS = List.of(
            "core",
            "core-none",
            "scp",
            "rsync",
            "rsync-second",
            "tar",
            "compress-artifacts",
            "auto",
            "auto-direct",
            "auto-direct-https",
            "packed",
            "s3",
            "none",
            "gzip",
            "lz4",
            "zstd",
            "auto-delta",
            "auto-direct-delta");

    /** Greys for core, warm colours for other programs; readable on white and on black. */
    private static final List<Color> COLOURS = List.of(
            new Color(0x7F7F7F),
            new Color(0xB0B0B0),
            new Color(0xD55E00),
            new Color(0xE69F00),
            new Color(0xF2C879),
            new Color(0xB22222),
            new Color(0x6E5C4A),
            new Color(0xCC79A7),
            new Color(0x1F77C4),
            new Color(0x56B4E9),
            new Color(0x8C7AE6),
            new Color(0x17BECF),
            new Color(0x9C755F),
            new Color(0x8BC34A),
            new Color(0x009E73),
            new Color(0xE377C2),
            new Color(0x3F6FD8),
            new Color(0x2CA02C));

    /** Names of ways in the legend. */
    private static final Map<String, String> NAMES = Map.of(
            "core", "Jenkins itself",
            "auto-direct", "with the plugin",
            "auto-direct-delta", "with the plugin, which reuses content");

    /** Placeholders of colours that depend on the reader's theme. */
    private static final Color INK = new Color(1, 2, 3);

    private static final Color GRID = new Color(4, 5, 6);

    private static final String STYLE = """
        <style>
        svg { --ink: #1f2328; --grid: #d0d7de; background: #ffffff; }
        @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --grid: #3d444d; background: #0d1117; } }
        </style>
        """;

    private Plot() {}

    /**
     * Writes a chart of the last data set if the sets' sizes depend on the link; else of all links if each has all ways, as for stashes; else of the
     * first link. Fresh agents have a chart of their own.
     */
    static void write(String title, List<ResultRow> all, Path file) throws IOException {
        List<ResultRow> rows =
                all.stream().filter(row -> !row.link().contains(", fresh")).toList();
        List<String> sets = rows.stream().map(ResultRow::data).distinct().toList();
        boolean byLink = sets.size() == 1
                || rows.stream().map(ResultRow::sizedData).distinct().count() > sets.size();
        boolean hasAllLinks = !byLink
                && rows.stream().map(ResultRow::link).distinct().count() > 1
                && rows.stream()
                                .collect(Collectors.groupingBy(
                                        ResultRow::link, Collectors.mapping(ResultRow::way, Collectors.toSet())))
                                .values()
                                .stream()
                                .distinct()
                                .count()
                        == 1;
        String what = byLink ? sets.get(sets.size() - 1) : rows.get(0).link();
        DefaultCategoryDataset data = new DefaultCategoryDataset();
        List<ResultRow> sorted = rows.stream()
                .sorted(Comparator.comparingInt(row -> index(row.way())))
                .toList();
        for (ResultRow row : sorted) {
            if ((hasAllLinks || what.equals(byLink ? row.data() : row.link()))
                    && row.wall().isPresent()) {
                String name = row.sizedData().replace("`", "");
                String group = byLink || hasAllLinks ? row.link() + ": " + name : name;
                data.addValue(row.wall().get().median(), NAMES.getOrDefault(row.way(), row.way()), group);
            }
        }
        // a tool that was not measured everywhere would leave gaps
        sorted.stream()
                .filter(row -> row.way().equals("scp") || row.way().equals("tar"))
                .map(row -> NAMES.getOrDefault(row.way(), row.way()))
                .distinct()
                .filter(way -> data.getRowIndex(way) >= 0 && hasGaps(data, way))
                .forEach(data::removeRow);
        String shown = hasAllLinks ? "" : " (" + (byLink ? ResultRow.words(what) : what) + ")";
        JFreeChart chart = ChartFactory.createBarChart(
                title + shown, null, "seconds", data, PlotOrientation.HORIZONTAL, true, false, false);
        chart.setBackgroundPaint(null);
        chart.getTitle().setPaint(INK);
        chart.getLegend().setBackgroundPaint(null);
        chart.getLegend().setItemPaint(INK);
        CategoryPlot plot = chart.getCategoryPlot();
        plot.setBackgroundPaint(null);
        plot.setOutlineVisible(false);
        plot.setRangeGridlinePaint(GRID);
        plot.getRangeAxis().setLabelPaint(INK);
        plot.getRangeAxis().setTickLabelPaint(INK);
        plot.getRangeAxis().setUpperMargin(0.1);
        plot.getDomainAxis().setTickLabelPaint(INK);
        plot.getDomainAxis().setMaximumCategoryLabelLines(3);
        plot.getDomainAxis().setCategoryMargin((double) GAP / (data.getRowCount() * BAR + GAP));
        plot.getDomainAxis().setLowerMargin(0.01);
        plot.getDomainAxis().setUpperMargin(0.01);
        BarRenderer renderer = (BarRenderer) plot.getRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setItemMargin(0);
        renderer.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator(
                "{2}", new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT))));
        renderer.setDefaultItemLabelFont(new Font(Font.SANS_SERIF, Font.PLAIN, BAR - 3));
        renderer.setDefaultItemLabelPaint(INK);
        renderer.setDefaultItemLabelsVisible(true);
        for (int i = 0; i < data.getRowCount(); i++) {
            String way = data.getRowKey(i).toString();
            Color colour = COLOURS.get(Math.floorMod(index(way), COLOURS.size()));
            renderer.setSeriesPaint(i, way.startsWith("other ") ? colour.darker() : colour);
        }
        int height = FRAME + data.getColumnCount() * (data.getRowCount() * BAR + GAP);
        SVGGraphics2D svg = new SVGGraphics2D(WIDTH, height);
        chart.draw(svg, new Rectangle2D.Double(0, 0, WIDTH, height));
        Files.writeString(
                file,
                svg.getSVGDocument()
                        .replace("rgb(1,2,3)", "var(--ink)")
                        .replace("rgb(4,5,6)", "var(--grid)")
                        .replaceFirst("<defs>", STYLE + "<defs>"));
    }

    private static boolean hasGaps(DefaultCategoryDataset data, String way) {
        return IntStream.range(0, data.getColumnCount())
                .anyMatch(group -> data.getValue(data.getRowIndex(way), group) == null);
    }

    private static int index(String way) {
        String id = NAMES.entrySet().stream()
                .filter(name -> name.getValue().equals(way))
                .findFirst()
                .map(Map.Entry::getKey)
                .orElse(way);
        return WAYS.indexOf(id.replace("other ", ""));
    }
}
