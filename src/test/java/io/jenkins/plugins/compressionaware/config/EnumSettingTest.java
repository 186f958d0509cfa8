package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hudson.util.ListBoxModel;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnumSettingTest {
    /** Otherwise the first form of a job would have an empty list. */
    @Test
    void unsetValueOffersInheritedAndValidValues() {
        for (String current : new String[] {null, "", "from a newer version"}) {
            ListBoxModel items = EnumSetting.REUSE.toListBox(current, true);
            assertEquals(
                    List.of("", "auto", "off"),
                    items.stream().map(item -> item.value).toList());
            assertEquals(
                    List.of(true, false, false),
                    items.stream().map(item -> item.selected).toList());
        }
        assertEquals(
                List.of(false, false, true),
                EnumSetting.REUSE.toListBox("off", true).stream()
                        .map(item -> item.selected)
                        .toList());
    }

    /** YAML tools convert an unquoted off to false. */
    @Test
    void falseIsParsedAsOff() {
        assertEquals("off", EnumSetting.DEDUPLICATE.parse("false"));
        assertThrows(IllegalArgumentException.class, () -> EnumSetting.CODEC.parse("false"));
    }
}
