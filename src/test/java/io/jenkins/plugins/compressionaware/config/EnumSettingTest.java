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

    /** The value is kept when the page is saved. */
    @Test
    void valueForYamlIsListedOnlyIfItIsSet() {
        for (String current : List.of("plain", "off")) {
            ListBoxModel items = EnumSetting.DIRECT_LANE.toListBox(current, false);
            assertEquals(current.equals("plain"), items.stream().anyMatch(item -> item.value.equals("plain")), current);
            assertEquals(
                    List.of(current),
                    items.stream()
                            .filter(item -> item.selected)
                            .map(item -> item.value)
                            .toList());
        }
        assertEquals("plain", EnumSetting.DIRECT_LANE.parse("plain"));
    }

    /** YAML tools convert an unquoted off to false. */
    @Test
    void falseIsParsedAsOff() {
        assertEquals("off", EnumSetting.DEDUPLICATE.parse("false"));
        assertThrows(IllegalArgumentException.class, () -> EnumSetting.CODEC.parse("false"));
    }
}
