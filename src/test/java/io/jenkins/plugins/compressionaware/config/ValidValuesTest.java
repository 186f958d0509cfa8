package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.util.ListBoxModel;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValidValuesTest {
    /** Else whoever edits a job for the first time would have nothing to choose from. */
    @Test
    void whatWasNeverChosenCanBe() {
        for (String current : new String[] {null, "", "from a newer version"}) {
            ListBoxModel items = ValidValues.DELTA.optionalItems(current);
            assertEquals(
                    List.of("", "auto", "off"),
                    items.stream().map(item -> item.value).toList());
            assertEquals(
                    List.of(true, false, false),
                    items.stream().map(item -> item.selected).toList());
        }
        assertEquals(
                List.of(false, false, true),
                ValidValues.DELTA.optionalItems("off").stream()
                        .map(item -> item.selected)
                        .toList());
    }
}
