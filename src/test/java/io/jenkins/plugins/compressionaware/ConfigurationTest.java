package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.config.ValidValues;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.jenkins.OnJenkins;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ConfigurationTest extends OnJenkins {
    static final TransferSettings DEFAULTS =
            new TransferSettings("auto", 0, 0, 9, 0, Checksum.XXH64, 8, 256 * 1024, DirectLane.AUTOMATIC, true);

    @Test
    void aFreshFactoryHasTheDefaults() {
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        assertEquals(DEFAULTS, factory.settings());
        assertFalse(factory.isLocked());
        assertEquals(
                new SendOptions(new Compression.Auto(0, 9, EnumSet.allOf(Codec.class))),
                factory.settings().toSendOptions());
    }

    @Test
    void whatTheEngineIsTold() {
        factory.setMinLevel(2);
        factory.setMaxLevel(7);
        factory.setThreads(3);
        factory.setChecksum("crc32c");
        factory.setBlockSize(512);
        factory.setDirectLane("required");
        assertEquals(
                new SendOptions(new Compression.Auto(2, 7, EnumSet.allOf(Codec.class)), 512 * 1024, 3, Checksum.CRC32C),
                factory.settings().toSendOptions());
        factory.setCodec("lz4");
        assertEquals(
                new SendOptions(new Compression.Fixed(new Choice(Codec.LZ4, 0)), 512 * 1024, 3, Checksum.CRC32C),
                factory.settings().toSendOptions());
    }

    @Test
    void aHighLowestLevelRaisesTheHighestWhichIsEmpty() {
        factory.setMinLevel(12);
        assertEquals(12, factory.settings().minLevel());
        assertEquals(12, factory.settings().maxLevel());
    }

    @Test
    void theListsOfferEveryValue() {
        assertEquals(List.of("auto", "none", "gzip", "lz4", "zstd"), ValidValues.CODEC.list());
        assertEquals(List.of("xxh64", "crc32c", "none"), ValidValues.CHECKSUM.list());
        assertEquals(List.of("automatic", "plain", "off", "required"), ValidValues.DIRECT_LANE.list());
        assertEquals(List.of("auto", "off"), ValidValues.DELTA.list());
        assertEquals(List.of("off", "reflinks", "hardlinks"), ValidValues.SHARING.list());
    }

    private static void assertRefused(String message, Executable setter) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, setter).getMessage());
    }

    @Test
    void wrongValuesAreRefusedInPlainWords() {
        assertRefused(
                "Invalid value \u201czip\u201d for codec. Valid values: auto, none, gzip, lz4, zstd.",
                () -> factory.setCodec("zip"));
        assertRefused(
                "Invalid value \u201csoftlinks\u201d for sharing. Valid values: off, reflinks, hardlinks.",
                () -> factory.setSharing("softlinks"));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setMinLevel(-1));
        assertThrows(IllegalArgumentException.class, () -> factory.setMaxLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setThreads(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLanes(9));
        assertThrows(IllegalArgumentException.class, () -> factory.setBlockSize(63));
        assertThrows(IllegalArgumentException.class, () -> factory.setExcludedLabels("a &&"));
        factory.setMaxLevel(3);
        assertThrows(IllegalArgumentException.class, () -> factory.setMinLevel(4));
    }

    @Test
    void aLevelBeyondTheCodecsHighestCountsAsTheHighest() {
        factory.setLevel(15);
        factory.setCodec("gzip");
        assertEquals(9, factory.settings().level());
    }

    @Test
    void withoutAFactoryTheDefaultsHold() {
        assertEquals(DEFAULTS, GlobalPolicy.configured().settings());
        assertFalse(GlobalPolicy.configured().isLocked());
        assertFalse(GlobalPolicy.configured().exclusions().fromAgent(r.jenkins));
        assertFalse(GlobalPolicy.configured().exclusions().fromJob("any"));
    }
}
