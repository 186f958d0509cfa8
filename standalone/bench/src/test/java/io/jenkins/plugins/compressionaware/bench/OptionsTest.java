package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

class OptionsTest {
    @Test
    void modeSelectsSections() {
        assertTrue(Options.parse().wants(Section.ENGINE));
        assertFalse(Options.parse().wants(Section.ARCHIVE));
        assertTrue(Options.parse("--jenkins").wants(Section.FRESH));
        assertFalse(Options.parse("--jenkins").wants(Section.ENGINE));
        assertFalse(Options.parse("--jenkins").wants(Section.LARGE));
        assertTrue(Options.parse("--jenkins", "--sections=large").wants(Section.LARGE));
    }

    @Test
    void storeIsMeasuredWithThePluginToCompare() {
        assertFalse(Options.parse("--jenkins").wants(Section.STORE));
        assertTrue(Options.parse("--jenkins", "--artifact-manager-s3=plugins").wants(Section.STORE));
        assertTrue(Options.parse("--jenkins", "--sections=store").wants(Section.STORE));
        assertEquals(List.of("core", "s3", "s3-plugin"), Options.parse("--jenkins").storeWays());
        Options options = Options.parse("--jenkins", "--ways=s3-plugin,auto,s3");
        assertEquals(List.of("s3", "s3-plugin"), options.storeWays());
        assertEquals(List.of("auto", "s3"), options.ways(List.of()));
    }

    @Test
    void valuesAreParsedByName() {
        Options options = Options.parse(
                "--jenkins", "--sections=fresh,shaped", "--data=text,tar-gz", "--rounds=7", "--disks=5ms,spindle");
        assertTrue(options.wants(Section.SHAPED));
        assertFalse(options.wants(Section.ARCHIVE));
        assertEquals(List.of("text", "tar-gz"), options.data);
        assertEquals(7, options.rounds);
        assertEquals(List.of(SlowDisk.FAR, SlowDisk.SPINDLE), options.disks);
    }

    @Test
    void optionsOfFreshAgentsAreParsed() {
        Options options =
                Options.parse("--jenkins", "--sizes=10KB,2MB", "--conditions=one-cpu", "--transports=websocket,ssh");
        assertEquals(List.of(new Options.Size("10 KB", 10_000), new Options.Size("2 MB", 2_000_000)), options.sizes);
        assertEquals(List.of(Condition.ONE_CPU), options.conditions);
        assertEquals(List.of(Transport.WEBSOCKET, Transport.SSH), options.transports);
        assertEquals(List.of(Transport.WEBSOCKET), options.warmTransports());
    }

    @Test
    void otherProgramsAreNoWaysOfJenkins() {
        Options options =
                Options.parse("--jenkins", "--ways=auto-direct,tar,auto-direct-https", "--conditions=1gbit-0.5ms");
        assertEquals(List.of("auto-direct", "auto-direct-https"), options.ways(List.of("core")));
        assertEquals(List.of("tar"), options.peers());
        assertEquals(List.of(Condition.GIGABIT_NEAR), options.conditions);
        assertEquals(List.of("scp", "rsync", "tar"), Options.parse("--jenkins").peers());
        assertEquals(List.of("auto-direct"), Transport.WEBSOCKET.measured(options.ways(List.of())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--slow",
                "--rounds=0",
                "--rounds=x",
                "--data=video",
                "--data=",
                "--sections=all",
                "--transports=udp",
                "--sizes=10",
                "--conditions=moon",
                "--ways=zip"
            })
    void invalidValuesAreRefused(String argument) {
        assertThrows(ParameterException.class, () -> Options.parse(argument));
    }
}
