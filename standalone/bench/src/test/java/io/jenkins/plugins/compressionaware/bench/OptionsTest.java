package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void theModeSelectsTheSections() {
        assertTrue(Options.parse().wants(Section.LINKS));
        assertFalse(Options.parse().wants(Section.ARCHIVE));
        assertTrue(Options.parse("--jenkins").wants(Section.COLD));
        assertFalse(Options.parse("--jenkins").wants(Section.LINKS));
    }

    @Test
    void theUserSelectsPartsToRunAgain() {
        Options options = Options.parse("--jenkins", "--sections=cold,calls", "--data=text,mix", "--rounds=7");
        assertTrue(options.wants(Section.CALLS));
        assertFalse(options.wants(Section.ARCHIVE));
        assertEquals(List.of("text", "mix"), options.data);
        assertEquals(7, options.rounds());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--slow", "--rounds=0", "--rounds=x", "--data=video", "--data=", "--sections=all", "--transports=ssh", "--ways=zip", "--ways=auto-direct"})
    void whatMakesNoSenseIsRefused(String argument) {
        assertThrows(IllegalArgumentException.class, () -> Options.parse(argument));
    }
}
