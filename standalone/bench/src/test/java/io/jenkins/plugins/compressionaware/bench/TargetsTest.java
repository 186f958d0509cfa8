package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
    private static final long RAW = 1000;

    private static Row row(Section section, String link, String data, String way, double wall, double cpu, long wire) {
        Row row = new Row(section, link, data, way, RAW);
        row.samples().add(new Sample(wall, wire, cpu / 2, cpu / 2, 1L, 1L, null));
        return row;
    }

    private static List<Boolean> reached(Row... rows) {
        return Targets.check(List.of(rows)).stream().map(Verdict::reached).toList();
    }

    @Test
    void timeCpuAndWireAreComparedWithCore() {
        Row core = row(Section.ARCHIVE, "TCP", "jars", "core", 60, 50, 1000);
        assertEquals(
                List.of(true, true, true), reached(core, row(Section.ARCHIVE, "TCP", "jars", "auto", 10, 10, 1030)));
        assertEquals(
                List.of(false, false, false), reached(core, row(Section.ARCHIVE, "TCP", "jars", "auto", 10.1, 10.1, 1031)));
    }

    @Test
    void webSocketHasItsOwnLimit() {
        Row core = row(Section.ARCHIVE, "WebSocket", "mix", "core", 50, 50, 1000);
        Row auto = row(Section.ARCHIVE, "WebSocket", "mix", "auto", 10, 10, 1000);
        assertTrue(Targets.check(List.of(core, auto)).get(0).reached());
        Row overTcp = row(Section.ARCHIVE, "TCP", "mix", "core", 50, 50, 1000);
        Row autoOverTcp = row(Section.ARCHIVE, "TCP", "mix", "auto", 10, 10, 1000);
        assertFalse(Targets.check(List.of(overTcp, autoOverTcp)).get(0).reached());
    }

    @Test
    void randomDataIsComparedWithItsOwnSize() {
        Row core = row(Section.ARCHIVE, "TCP", "random", "core", 60, 50, 2000);
        Verdict wire = Targets.check(List.of(core, row(Section.ARCHIVE, "TCP", "random", "auto", 1, 1, 1011)))
                .get(2);
        assertEquals(1.011, wire.measured(), 1e-9);
        assertFalse(wire.reached());
    }

    @Test
    void smallFilesAreAlsoComparedWithACopy() {
        Row auto = row(Section.ARCHIVE, "TCP", "small", "auto", 1, 1, 100);
        Row core = row(Section.ARCHIVE, "TCP", "small", "core", 9, 9, 100);
        Row slow = row(Section.TOOLS, "this machine", "small", "cp -r", 0.3, 0.3, 0);
        assertEquals(List.of(true, true, true, false), reached(auto, core, slow));
    }

    @Test
    void theDirectLaneHasLimitsOfItsOwn() {
        Row core = row(Section.ARCHIVE, "WebSocket", "jars", "core", 60, 50, 1000);
        Row scp = row(Section.TOOLS, "this machine", "jars", "scp -r", 5, 5, 0);
        assertEquals(
                List.of(true, true, true),
                reached(core, scp, row(Section.ARCHIVE, "WebSocket", "jars", "auto-direct", 5, 5, 2000)));
        assertEquals(
                List.of(false, false, false),
                reached(core, scp, row(Section.ARCHIVE, "WebSocket", "jars", "auto-direct", 5.1, 5.1, 1)));
    }

    @Test
    void randomDataOverTheDirectLaneIsAlsoComparedWithTar() {
        Row tar = row(Section.TOOLS, "this machine", "random", "tar over TCP", 1, 1, 0);
        Row auto = row(Section.ARCHIVE, "WebSocket", "random", "auto-direct", 1.61, 1, 1000);
        assertEquals(List.of(false), reached(tar, auto));
    }

    @Test
    void neverSlowerThanCoreUncompressed() {
        Row none = row(Section.ARCHIVE, "TCP", "text", "core-none", 1, 1, 1000);
        assertEquals(List.of(false), reached(none, row(Section.ARCHIVE, "TCP", "text", "auto", 1.01, 1, 100)));
    }

    @Test
    void theFirstArchiveMayTakeALittleLongerIfItIsTiny() {
        Row tiny = row(Section.COLD, "WebSocket", "10 KB", "core", 1, 1, 1000);
        assertEquals(List.of(true), reached(tiny, row(Section.COLD, "WebSocket", "10 KB", "auto", 1.19, 1, 1000)));
        Row middle = row(Section.COLD, "WebSocket", "5 MB", "core", 1, 1, 1000);
        assertEquals(List.of(false), reached(middle, row(Section.COLD, "WebSocket", "5 MB", "auto", 1.01, 1, 1000)));
    }

    @Test
    void aLongLinkHasItsOwnLimit() {
        Row core = row(Section.SHAPED, "TCP, 100 ms round trip", "mix", "core", 7, 1, 1000);
        assertEquals(
                List.of(true), reached(core, row(Section.SHAPED, "TCP, 100 ms round trip", "mix", "auto", 2, 1, 1000)));
        assertEquals(
                List.of(false), reached(core, row(Section.SHAPED, "TCP, 100 ms round trip", "mix", "auto", 2.1, 1, 1000)));
    }

    @Test
    void withoutCoreThereIsNoVerdict() {
        assertEquals(List.of(), reached(row(Section.ARCHIVE, "TCP", "text", "auto", 1, 1, 100)));
    }
}
