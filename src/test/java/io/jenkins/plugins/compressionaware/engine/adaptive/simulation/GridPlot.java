package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jfree.svg.SVGGraphics2D;

/** Plots for each choice the share of scenarios in which its time is at most a multiple of the best. Uses only what JFreeChart 1.0 and 1.5 have in common. */
final class GridPlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;

    /** End of the axis; larger quotients are cut off. */
    private static final double MAX_QUOTIENT = 64;

    private static final double MIN_QUOTIENT = 0.7;

    /** Colours that the colour-blind distinguish on white (Okabe and Ito). */
    private static final List<Color> COLOURS = List.of(
            new Color(0xD55E00),
            new Color(0x555555),
            new Color(0x56B4E9),
            new Color(0x009E73),
            new Color(0x0072B2),
            new Color(0xE69F00),
            new Color(0xCC79A7),
            new Color(0xAAAAAA));

    private final XYSeriesCollection lines = new XYSeriesCollection();

    private GridPlot(List<GridResult> results) {
        line("auto", results, GridResult::autoOverBest);
        for (CodecLevel choice : TransferComparison.FIXED) {
            line(choice.toString(), results, result -> result.fixedOverBest(choice));
        }
    }

    private void line(String name, List<GridResult> results, ToDoubleFunction<GridResult> quotient) {
        XYSeries line = new XYSeries(name);
        double[] sorted = results.stream().mapToDouble(quotient).sorted().toArray();
        for (int i = 0; i < sorted.length; i++) {
            line.add(100.0 * (i + 1) / sorted.length, sorted[i]);
        }
        lines.addSeries(line);
    }

    /** Returns the plot as an SVG document. */
    static String svg(List<GridResult> results) {
        JFreeChart chart = ChartFactory.createXYLineChart(
                null, "% of the situations, those where the choice does best first", null, new GridPlot(results).lines);
        chart.setBackgroundPaint(Color.WHITE);
        XYPlot plot = chart.getXYPlot();
        plot.setBackgroundPaint(Color.WHITE);
        plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        LogAxis time = new LogAxis("time over that of the best fixed choice");
        time.setBase(2);
        time.setTickUnit(new NumberTickUnit(1));
        time.setNumberFormatOverride(new DecimalFormat("0"));
        time.setLabelFont(plot.getDomainAxis().getLabelFont());
        time.setRange(MIN_QUOTIENT, MAX_QUOTIENT);
        plot.setRangeAxis(time);
        plot.getDomainAxis().setRange(0, 100);
        XYLineAndShapeRenderer renderer = (XYLineAndShapeRenderer) plot.getRenderer();
        renderer.setDrawSeriesLineAsPath(true);
        for (int i = 0; i < COLOURS.size(); i++) {
            renderer.setSeriesPaint(i, COLOURS.get(i));
            renderer.setSeriesStroke(i, new BasicStroke(i == 0 ? 3.5f : 1.5f));
        }
        SVGGraphics2D svg = new SVGGraphics2D(WIDTH, HEIGHT);
        // makes the file reproducible
        svg.setDefsKeyPrefix("grid");
        svg.setGeomDoubleConverter(value -> String.format(Locale.ROOT, "%.1f", value));
        chart.draw(svg, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        return themed(svg.getSVGElement("auto-selection"));
    }

    /** Returns the plot with colours of the reader's theme for texts, axes and the grid. */
    private static String themed(String svg) {
        return svg.replaceFirst(
                        ">",
                        "><style>svg { --ink: #1f2328; --grid: #d0d7de; background: #ffffff; } @media"
                                + " (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --grid: #3d444d; background:"
                                + " #0d1117; } }</style>")
                .replace("rgb(255,255,255)", "none")
                .replaceAll("rgb\\((?:0,0,0|64,64,64|85,85,85)\\)", "var(--ink)")
                .replaceAll("rgb\\((?:128,128,128|192,192,192)\\)", "var(--grid)");
    }
}
