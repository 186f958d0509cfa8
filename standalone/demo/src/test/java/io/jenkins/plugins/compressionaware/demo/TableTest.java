package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final double WITHOUT_A_DISK = 0;

    private final Map<Way, List<Measurement>> all = new EnumMap<>(Way.class);

    private TableTest with(Way way, String remark, double... seconds) {
        ReceiveReport received = ReceiveReport.untimed(3, 10_000_000, 12_000_000, 6_000_000, 0);
        all.put(
                way,
                Arrays.stream(seconds)
                        .mapToObj(s -> new Measurement(way, (long) (s * 1e9), (long) (s * 5e8), (long) (s * 25e7), received, remark))
                        .toList());
        return this;
    }

    private String conclusion(double copySeconds) {
        return String.join(" ", Table.conclusion(new Measured(all, copySeconds)));
    }

    @Test
    void aRowHasTheFiguresOfTheMedianRound() {
        with(Way.CORE, "", 1, 1, 1).with(Way.ZSTD, "", 9, 4, 1);
        List<String> lines = Table.lines(new Measured(all, WITHOUT_A_DISK));
        assertEquals(
                List.of("plugin, zstd 3", "4.00", "2.5", "6.0", "2.00", "1.00"),
                List.of(lines.get(2).strip().split(" {2,}")));
        assertTrue(lines.get(3).startsWith("Medians of 3 rounds."), lines.toString());
    }

    @Test
    void aLesserCodecIsTold() {
        with(Way.CORE, "", 1).with(Way.ZSTD, "lz4 is used instead", 1);
        List<String> lines = Table.lines(new Measured(all, WITHOUT_A_DISK));
        assertTrue(lines.contains("Not as asked, plugin, zstd 3: lz4 is used instead"), lines.toString());
    }

    @Test
    void theDefaultIsComparedWithJenkins() {
        with(Way.CORE, "", 8).with(Way.NONE, "", 1).with(Way.AUTO, "", 4);
        String text = conclusion(WITHOUT_A_DISK);
        assertTrue(text.contains("auto, takes 4.00 s where Jenkins itself takes 8.00 s: it is 2.0 times as fast."), text);
        assertTrue(text.contains("3.0 s of CPU time at both ends together, Jenkins itself 6.0 s."), text);
        assertFalse(text.contains("disk"), text);
    }

    @Test
    void noGainIsNotPraised() {
        with(Way.CORE, "", 4).with(Way.AUTO, "", 4.5);
        assertFalse(conclusion(WITHOUT_A_DISK).contains("times as fast"));
    }

    @Test
    void aDiskThatTakesMostOfTheTimeIsNamed() {
        with(Way.CORE, "", 8).with(Way.AUTO, "", 6);
        assertTrue(conclusion(5).contains("The disk is what decides here: to write these files and no more takes 5.00 s"));
        assertFalse(conclusion(3).contains("disk"));
    }

    @Test
    void fractionsOfASecondAreNotCompared() {
        with(Way.CORE, "", 0.1).with(Way.AUTO, "", 0.01);
        assertEquals("So few bytes say little about speed.", conclusion(WITHOUT_A_DISK));
    }
}
