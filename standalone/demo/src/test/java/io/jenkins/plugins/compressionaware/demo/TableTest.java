package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final long SECOND = 1_000_000_000L;

    private static Measurement measurement(String way, long wall, long cpu, String remark) {
        ReceiveReport received = new ReceiveReport(3, 10_000_000, 12_000_000, 6_000_000, 0, 0, 0, 0, List.of());
        return new Measurement(Way.ofId(way), wall, cpu, cpu / 2, received, remark);
    }

    @Test
    void aRowHasTheFigures() {
        List<String> lines = Table.lines(List.of(measurement("zstd", 4 * SECOND, 3 * SECOND, "")));
        assertEquals(
                List.of("zstd 3", "4.00", "2.5", "0.500", "3.00", "1.50", "6,000,000"),
                List.of(lines.get(1).strip().split(" {2,}")));
    }

    @Test
    void aLesserCodecIsTold() {
        List<String> lines = Table.lines(List.of(measurement("zstd", SECOND, SECOND, "lz4 is used instead")));
        assertTrue(lines.contains("Not as asked, zstd 3: lz4 is used instead"), lines.toString());
    }

    @Test
    void theFastestIsComparedWithCore() {
        String text = Table.comparison(List.of(
                measurement("core", 8 * SECOND, 6 * SECOND, ""),
                measurement("lz4", 4 * SECOND, 2 * SECOND, ""),
                measurement("none", 5 * SECOND, SECOND, "")));
        assertTrue(text.startsWith("The fastest is lz4:"), text);
        assertTrue(text.contains("1/2.0 of the wall time of the one gzip stream, and 1/3.0 of its CPU time"), text);
    }

    @Test
    void fractionsOfASecondAreNotCompared() {
        String text = Table.comparison(
                List.of(measurement("core", SECOND / 10, 0, ""), measurement("lz4", SECOND / 100, 0, "")));
        assertEquals("So few bytes say little about speed.", text);
    }

    @Test
    void theMedianIsByWallTime() {
        Measurement middle = measurement("lz4", 2 * SECOND, 9 * SECOND, "");
        assertEquals(
                middle,
                Measurement.median(List.of(
                        measurement("lz4", 3 * SECOND, 1, ""), middle, measurement("lz4", SECOND, 2, ""))));
    }
}
