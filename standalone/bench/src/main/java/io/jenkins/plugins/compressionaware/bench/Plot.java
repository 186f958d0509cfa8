package io.jenkins.plugins.compressionaware.bench;

import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.svg.SVGGraphics2D;

/** Draws bars of speed, grouped by data set or link. */
final class Plot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 360;
    /**
     * Dark for core, colours for the plugin. Colour-blind readers can distinguish the palette on white (Okabe and Ito).
     */
    private static final List<Color> COLOURS = List.of(
            new Color(0x555555), new Color(0xAAAAAA), new Color(0x56B4E9), new Color(0xE69F00), new Color(0x009E73),
            new Color(0xD55E00), new Color(0xCC79A7), new Color(0x0072B2));

    private Plot() {}

    /**
     * Writes speeds relative to core, or MB/s without core. Shows the first link, or the last data set if there are
     * more links than data sets.
     */
    static void write(String title, List<ResultRow> rows, Path file) throws IOException {
        List<String> links = rows.stream().map(ResultRow::link).distinct().toList();
        List<String> sets = rows.stream().map(ResultRow::data).distinct().toList();
        boolean byLink = links.size() > sets.size();
        String what = byLink ? sets.get(sets.size() - 1) : links.get(0);
        boolean ratio = rows.stream().anyMatch(row -> row.way().equals("core"));
        DefaultCategoryDataset data = new DefaultCategoryDataset();
        for (ResultRow row : rows) {
            boolean shown = what.equals(byLink ? row.data() : row.link());
            if (shown && row.wall().isPresent() && !(ratio && row.way().equals("core"))) {
                double speed = row.rawBytes() / 1e6 / row.wall().get().median();
                data.addValue(ratio ? row.timesCore(rows).orElse(null) : Double.valueOf(speed), row.way(), byLink ? row.link() : row.data());
            }
        }
        JFreeChart chart = ChartFactory.createBarChart(title + " (" + what + ")", null, ratio ? "times core's speed" : "MB/s", data);
        chart.setBackgroundPaint(Color.WHITE);
        CategoryPlot plot = chart.getCategoryPlot();
        plot.setBackgroundPaint(Color.WHITE);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        BarRenderer renderer = (BarRenderer) plot.getRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        for (int i = 0; i < data.getRowCount(); i++) {
            renderer.setSeriesPaint(i, COLOURS.get(i % COLOURS.size()));
        }
        SVGGraphics2D svg = new SVGGraphics2D(WIDTH, HEIGHT);
        chart.draw(svg, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        Files.writeString(file, svg.getSVGDocument());
    }
}
