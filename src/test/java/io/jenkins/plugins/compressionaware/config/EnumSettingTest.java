package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hudson.util.ListBoxModel;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnumSettingTest {
    /** Else whoever edits a job for the first time would have nothing to choose from. */
    @Test
    void whatWasNeverChosenCanBe() {
        for (String current : new String[] {null, "", "from a newer version"}) {
            ListBoxModel items = EnumSetting.DELTA.toListBox(current, true);
            assertEquals(
                    List.of("", "auto", "off"),
                    items.stream().map(item -> item.value).toList());
            assertEquals(
                    List.of(true, false, false),
                    items.stream().map(item -> item.selected).toList());
        }
        assertEquals(
                List.of(false, false, true),
                EnumSetting.DELTA.toListBox("off", true).stream()
                        .map(item -> item.selected)
                        .toList());
    }

    /** YAML tools write it for an unquoted off. */
    @Test
    void falseIsOff() {
        assertEquals("off", EnumSetting.DEDUPLICATE.parse("false"));
        assertThrows(IllegalArgumentException.class, () -> EnumSetting.CODEC.parse("false"));
    }
}
