package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.config.EnumSetting;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ConfigurationTest extends JenkinsTestBase {
    static final TransferSettings DEFAULTS = new TransferSettings(
            "auto", 0, 0, 9, Checksum.CRC32C, 0, 8, DirectLane.AUTO, true, TransferSettings.Storage.FILES, 60);

    @Test
    void newFactoryHasDefaults() {
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        assertEquals(DEFAULTS, factory.settings());
        assertFalse(factory.isLockOverrides());
        assertEquals(
                new SendOptions(new CompressionMode.Auto(0, 9, true)),
                factory.settings().toSendOptions());
    }

    @Test
    void settingsBecomeSendOptions() {
        factory.setMinLevel(2);
        factory.setMaxLevel(7);
        factory.setThreads(3);
        factory.setDirectHttp("required");
        factory.setChecksum("xxhash64");
        assertEquals(
                new SendOptions(new CompressionMode.Auto(2, 7, true), FrameCodec.DEFAULT_BLOCK, 3, Checksum.XXHASH64),
                factory.settings().toSendOptions());
        factory.setCodec("none");
        assertEquals(
                new SendOptions(
                        new CompressionMode.Fixed(CodecLevel.UNCOMPRESSED),
                        FrameCodec.DEFAULT_BLOCK,
                        3,
                        Checksum.XXHASH64),
                factory.settings().toSendOptions());
    }

    @Test
    void formerNamesSetTheNewSettings() {
        factory.setDirectLane("off");
        factory.setMaxLanes(3);
        assertEquals("off", factory.getDirectHttp());
        assertEquals(3, factory.getMaxStreams());
        assertNull(factory.getDirectLane());
        assertNull(factory.getMaxLanes());
    }

    @Test
    void minLevelAboveDefaultRaisesEmptyMaxLevel() {
        factory.setMinLevel(12);
        assertEquals(12, factory.settings().minLevel());
        assertEquals(12, factory.settings().maxLevel());
    }

    @Test
    void listsContainValidValues() {
        assertEquals(List.of("auto", "none", "gzip", "lz4", "zstd"), values(EnumSetting.CODEC));
        assertEquals(List.of("crc32c", "xxhash64"), values(EnumSetting.CHECKSUM));
        assertEquals(List.of("auto", "off", "required"), values(EnumSetting.DIRECT_HTTP));
        assertEquals(List.of("auto", "off"), values(EnumSetting.REUSE));
        assertEquals(List.of("off", "reflinks", "hardlinks"), values(EnumSetting.DEDUPLICATE));
    }

    private static List<String> values(EnumSetting setting) {
        return setting.toListBox(null, false).stream().map(item -> item.value).toList();
    }

    private static void assertRefused(String message, Executable setter) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, setter).getMessage());
    }

    @Test
    void invalidValuesAreRefusedWithReason() {
        assertRefused(
                "Invalid value \u201czip\u201d for codec. Valid values: auto, none, gzip, lz4, zstd.",
                () -> factory.setCodec("zip"));
        assertRefused(
                "Invalid value \u201csoftlinks\u201d for deduplicate. Valid values: off, reflinks, hardlinks.",
                () -> factory.setDeduplicate("softlinks"));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setMinLevel(-1));
        assertThrows(IllegalArgumentException.class, () -> factory.setMaxLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setThreads(0));
        assertRefused(
                "maxStreams: Enter a whole number from 1 to 8, or nothing for the default.",
                () -> factory.setMaxStreams(9));
        assertThrows(IllegalArgumentException.class, () -> factory.setExcludedLabels("a &&"));
        factory.setMaxLevel(3);
        assertThrows(IllegalArgumentException.class, () -> factory.setMinLevel(4));
    }

    @Test
    void levelAboveMaximumOfCodecIsLowered() {
        factory.setLevel(15);
        factory.setCodec("gzip");
        assertEquals(9, factory.settings().level());
    }

    /** The settings of a removed manager are unknown after a restart, and may have forbidden the comparison with earlier builds. */
    @Test
    void defaultsWithoutReuseApplyWithoutFactory() {
        assertEquals(
                new TransferSettings(
                        "auto",
                        0,
                        0,
                        9,
                        Checksum.CRC32C,
                        0,
                        8,
                        DirectLane.AUTO,
                        false,
                        TransferSettings.Storage.FILES,
                        60),
                GlobalSettings.get().settings());
        assertFalse(GlobalSettings.get().isLockOverrides());
        assertFalse(GlobalSettings.get().exclusions().excludesAgent(r.jenkins));
        assertFalse(GlobalSettings.get().exclusions().excludesJob("any"));
    }
}
