package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void theModeSelectsTheSections() {
        assertTrue(Options.parse().wants(Section.ENGINE));
        assertFalse(Options.parse().wants(Section.ARCHIVE));
        assertTrue(Options.parse("--jenkins").wants(Section.FRESH));
        assertFalse(Options.parse("--jenkins").wants(Section.ENGINE));
    }

    @Test
    void theUserSelectsPartsToRunAgain() {
        Options options = Options.parse("--jenkins", "--sections=fresh,shaped", "--data=text,mix", "--rounds=7");
        assertTrue(options.wants(Section.SHAPED));
        assertFalse(options.wants(Section.ARCHIVE));
        assertEquals(List.of("text", "mix"), options.data);
        assertEquals(7, options.rounds);
    }

    @Test
    void freshAgentsHaveSizesConditionsAndSsh() {
        Options options =
                Options.parse("--jenkins", "--sizes=10KB,2MB", "--conditions=one-cpu", "--transports=websocket,ssh");
        assertEquals(Map.of("10 KB", 10_000L, "2 MB", 2_000_000L), options.sizes);
        assertEquals(List.of(Condition.ONE_CPU), options.conditions);
        assertEquals(List.of("websocket", "ssh"), options.freshTransports);
        assertEquals(List.of("websocket"), options.transports);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--slow", "--rounds=0", "--rounds=x", "--data=video", "--data=", "--sections=all", "--transports=udp", "--sizes=10", "--conditions=moon", "--ways=zip"})
    void whatMakesNoSenseIsRefused(String argument) {
        assertThrows(IllegalArgumentException.class, () -> Options.parse(argument));
    }
}
