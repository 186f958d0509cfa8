package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasurementTest {
    private final Map<Way, List<Sample>> all = new EnumMap<>(Way.class);

    private MeasurementTest with(Way way, String remark, double... seconds) {
        all.put(
                way,
                Arrays.stream(seconds).mapToObj(wall -> sample(wall, remark)).toList());
        return this;
    }

    private static Sample sample(double seconds, String remark) {
        Sample sample = new Sample();
        sample.wallSeconds = seconds;
        sample.wireBytes = 6_000_000;
        sample.agentCpu = seconds / 2;
        sample.controllerCpu = seconds / 4;
        sample.note = remark;
        return sample;
    }

    private List<String> table() {
        return new Measurement(all, 10_000_000, 0).table();
    }

    private String conclusion(double copySeconds) {
        return String.join(" ", new Measurement(all, 10_000_000, copySeconds).conclusion());
    }

    @Test
    void rowShowsMedians() {
        with(Way.CORE, "", 1, 1, 1).with(Way.ZSTD, "", 9, 4, 1);
        List<String> lines = table();
        assertEquals(
                List.of("plugin, zstd 3", "4.00", "2.5", "6.0", "2.00", "1.00"),
                List.of(lines.get(2).strip().split(" {2,}")));
        assertTrue(lines.get(3).startsWith("Medians of 3 rounds."), lines.toString());
    }

    @Test
    void unavailableCodecIsReported() {
        with(Way.CORE, "", 1).with(Way.ZSTD, "gzip is used instead", 1);
        assertTrue(table().contains("Codec not available, plugin, zstd 3: gzip is used instead"), table().toString());
    }

    @Test
    void defaultIsComparedWithJenkins() {
        with(Way.CORE, "", 8).with(Way.NONE, "", 1).with(Way.AUTO, "", 4);
        String text = conclusion(0);
        assertTrue(text.contains("auto, took 4.00 s, Jenkins itself 8.00 s: 2.0 times as fast."), text);
        assertTrue(text.contains("plugin 3.0 s and 6.0 MB, Jenkins itself 6.0 s and 6.0 MB."), text);
        assertFalse(text.contains("disk"), text);
    }

    @Test
    void fasterRowIsNamedWithItsCosts() {
        with(Way.CORE, "", 8).with(Way.NONE, "", 2).with(Way.ZSTD, "", 3).with(Way.AUTO, "", 4);
        String text = conclusion(0);
        assertTrue(text.endsWith("Fastest row: plugin, none, with 2.00 s, 1.5 s and 6.0 MB."), text);
    }

    @Test
    void noOtherRowIsNamedIfDefaultIsFastest() {
        with(Way.CORE, "", 8).with(Way.NONE, "", 5).with(Way.AUTO, "", 4);
        assertFalse(conclusion(0).contains("Fastest"));
    }

    @Test
    void slowerDefaultIsNotCalledFaster() {
        with(Way.CORE, "", 4).with(Way.AUTO, "", 4.5);
        assertFalse(conclusion(0).contains("times as fast"));
    }

    @Test
    void limitingDiskIsReported() {
        with(Way.CORE, "", 8).with(Way.AUTO, "", 6);
        assertTrue(conclusion(5)
                .contains("The disk is the bottleneck: writing these files without a transfer took 5.00 s"));
        assertFalse(conclusion(3).contains("disk"));
    }

    @Test
    void shortTransfersAreNotCompared() {
        with(Way.CORE, "", 0.1).with(Way.AUTO, "", 0.01);
        assertEquals("The files are too small for a comparison.", conclusion(0));
    }
}
