package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.ValidValues;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.util.EnumSet;
import java.util.List;
import jenkins.model.Jenkins;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ConfigurationTest extends OnJenkins {
    static final TransferSettings DEFAULTS =
            new TransferSettings("auto", 0, 0, 9, 2, "xxh64", 8, 256 * 1024, "automatic", true);

    @Test
    void aFreshFactoryHasTheDefaults() {
        var factory = new CompressionAwareArtifactManagerFactory();
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
        assertEquals(
                ValidValues.CODEC.list(),
                valuesOf(descriptor().getChoices().get("codec").items(null)));
        assertEquals(
                List.of("xxh64", "crc32c", "none"),
                valuesOf(descriptor().getChoices().get("checksum").items("none")));
        assertTrue(ValidValues.CODEC.list().containsAll(Codec.symbols()));
    }

    private static List<String> valuesOf(ListBoxModel items) {
        return items.stream().map((ListBoxModel.Option o) -> o.value).toList();
    }

    private static void assertRefused(String message, Executable setter) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, setter).getMessage());
    }

    @Test
    void wrongValuesAreRefusedInPlainWords() {
        assertRefused(
                "There is no codec \u201czip\u201d. Choose one of: auto, none, gzip, lz4, zstd.",
                () -> factory.setCodec("zip"));
        assertRefused(
                "There is no checksum \u201cmd5\u201d. Choose one of: xxh64, crc32c, none.",
                () -> factory.setChecksum("md5"));
        assertRefused(
                "\u201cmaybe\u201d is no choice for the delta. Choose one of: auto, off.",
                () -> factory.setDelta("maybe"));
        assertRefused(
                "\u201csoftlinks\u201d is no way to share the disk. Choose one of: off, reflinks, hardlinks.",
                () -> factory.setSharing("softlinks"));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setMinLevel(-1));
        assertThrows(IllegalArgumentException.class, () -> factory.setMaxLevel(20));
        assertThrows(IllegalArgumentException.class, () -> factory.setThreads(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLanes(9));
        assertThrows(IllegalArgumentException.class, () -> factory.setBlockSize(63));
        assertThrows(IllegalArgumentException.class, () -> factory.setExceptLabels("a &&"));
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

    private static CompressionAwareArtifactManagerFactory.DescriptorImpl descriptor() {
        return (CompressionAwareArtifactManagerFactory.DescriptorImpl)
                Jenkins.get().getDescriptorOrDie(CompressionAwareArtifactManagerFactory.class);
    }
}
