package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class FigureFormatTest {
    private final FigureFormat english = new FigureFormat(Locale.ENGLISH);

    @Test
    void smallShareIsNotRoundedToZero() {
        assertEquals("62%", english.ratio(62.3, 100));
        assertEquals("101%", english.ratio(1.01, 1));
        assertEquals("0.2%", english.ratio(0.2, 100));
        assertEquals("<0.1%", english.ratio(0.04, 100));
        assertEquals("0%", english.ratio(0, 100));
        assertEquals("", english.ratio(0, 0));
        assertEquals("", english.ratio(-1, 100));
    }

    @Test
    void roundsToThreeDigitsBeforeChoosingUnit() {
        assertEquals("1.00 MB", english.bytes(999_960));
        assertEquals("999 kB", english.bytes(999_400));
        assertEquals("999 B", english.bytes(999));
        assertEquals("10.0", english.number(9.996));
        assertEquals("100", english.number(99.96));
        assertEquals("1,235", english.number(1234.6));
        assertEquals("<0.01", english.number(0.004));
        assertEquals("", english.speed(0, 500));
    }

    @Test
    void timeUsesSuitableUnit() {
        assertEquals("<0.01 s", english.time(0));
        assertEquals("0.01 s", english.time(12));
        assertEquals("119 s", english.time(119_000));
        assertEquals("2 min 0 s", english.time(120_000));
        assertEquals("2 h 30 min", english.time(9_000_000));
        assertEquals("", english.time(-1));
    }

    @Test
    void amountsFollowTheLocale() {
        FigureFormat german = new FigureFormat(Locale.GERMAN);
        assertEquals("1,50 MB", german.bytes(1_500_000));
        assertEquals("12.345", german.count(12_345));
        assertEquals("1,50 MB (30\u00a0%)", german.sent(1_500_000, 5_000_000));
        assertEquals("5 B", english.sent(5, 0));
        // small files, whose headers are larger than their content
        assertEquals("2.05 MB", english.sent(2_050_000, 4_000));
        assertEquals("12.5 MB/s", english.speed(100_000_000, 8000));
        assertEquals("", english.speed(100, 0));
    }
}
