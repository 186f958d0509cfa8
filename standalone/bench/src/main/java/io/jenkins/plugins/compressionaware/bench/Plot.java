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

/** Bars of throughput, one group per data set. */
final class Plot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 360;
    private static final double MEGABYTE = 1e6;
    /** Dark for core, colours for the plugin; readable on white by the colour-blind (Okabe and Ito). */
    private static final List<Color> COLOURS = List.of(
            new Color(0x555555), new Color(0xAAAAAA), new Color(0x56B4E9), new Color(0xE69F00), new Color(0x009E73),
            new Color(0xD55E00), new Color(0xCC79A7), new Color(0x0072B2));

    private final JFreeChart chart;

    private Plot(JFreeChart chart) {
        this.chart = chart;
    }

    static Plot of(String title, List<Row> rows) {
        DefaultCategoryDataset data = new DefaultCategoryDataset();
        for (Row row : rows) {
            row.wall()
                    .ifPresent(wall ->
                            data.addValue(row.rawBytes() / MEGABYTE / wall.median(), row.way(), row.data()));
        }
        JFreeChart chart = ChartFactory.createBarChart(title, null, "MB/s", data);
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
        return new Plot(chart);
    }

    void write(Path file) throws IOException {
        SVGGraphics2D svg = new SVGGraphics2D(WIDTH, HEIGHT);
        chart.draw(svg, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        Files.writeString(file, svg.getSVGDocument());
    }
}
