package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.util.FormValidation;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.transfer.Compression;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.EnumSet;
import java.util.List;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

@WithJenkins
class ConfigurationTest {
    @Test
    void everyFieldSurvivesTheForm(JenkinsRule r) throws Exception {
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        factory.setCodec("gzip");
        factory.setLevel(9);
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);

        r.configRoundtrip();

        CompressionAwareArtifactManagerFactory saved = CompressionAwareArtifactManagerFactory.configured();
        r.assertEqualDataBoundBeans(factory, saved);
        assertEquals("gzip", saved.getCodec());
        assertEquals(9, saved.getLevel());

        saved.setLevel(null);
        r.configRoundtrip();
        assertNull(CompressionAwareArtifactManagerFactory.configured().getLevel(), "an empty level stays empty");
    }

    @Test
    void theListOffersEveryCodec(JenkinsRule r) {
        List<String> values = descriptor().doFillCodecItems().stream()
                .map((ListBoxModel.Option o) -> o.value)
                .sorted()
                .toList();
        assertEquals(List.of("auto", "gzip", "lz4", "none", "zstd"), values);
    }

    @Test
    void wrongValuesAreRefusedInPlainWords(JenkinsRule r) {
        var factory = new CompressionAwareArtifactManagerFactory();
        String message = assertThrows(IllegalArgumentException.class, () -> factory.setCodec("zip"))
                .getMessage();
        assertTrue(message.contains("zip") && message.contains("auto, none, gzip, lz4, zstd"), message);
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(0));
        assertThrows(IllegalArgumentException.class, () -> factory.setLevel(20));

        var descriptor = descriptor();
        assertEquals(FormValidation.Kind.ERROR, descriptor.doCheckCodec("zip").kind);
        assertEquals(FormValidation.Kind.OK, descriptor.doCheckCodec("lz4").kind);
        assertEquals(FormValidation.Kind.ERROR, descriptor.doCheckLevel("10", "gzip").kind);
        assertEquals(FormValidation.Kind.OK, descriptor.doCheckLevel("10", "zstd").kind);
        assertEquals(FormValidation.Kind.ERROR, descriptor.doCheckLevel("fast", "zstd").kind);
        assertEquals(FormValidation.Kind.OK, descriptor.doCheckLevel("", "zstd").kind);
    }

    @Test
    void aCodecOfANewerVersionIsKeptButNotUsed(JenkinsRule r) {
        String xml = "<io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory><codec>brotli</codec>"
                + "</io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory>";
        var factory = (CompressionAwareArtifactManagerFactory) Jenkins.XSTREAM2.fromXML(xml);
        assertEquals(new SendOptions(new Compression.Auto(0, 9, EnumSet.allOf(Codec.class))), factory.sendOptions());
        assertTrue(Jenkins.XSTREAM2.toXML(factory).contains("<codec>brotli</codec>"));
    }

    @Test
    void aLevelBeyondTheCodecsHighestCountsAsTheHighest(JenkinsRule r) {
        var factory = new CompressionAwareArtifactManagerFactory();
        factory.setLevel(15);
        factory.setCodec("gzip");
        assertEquals(new SendOptions(Codec.GZIP, 9), factory.sendOptions());
    }

    private static CompressionAwareArtifactManagerFactory.DescriptorImpl descriptor() {
        return (CompressionAwareArtifactManagerFactory.DescriptorImpl)
                Jenkins.get().getDescriptorOrDie(CompressionAwareArtifactManagerFactory.class);
    }
}
