package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Run;
import hudson.util.FormValidation;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.transfer.Compression;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import org.jenkinsci.Symbol;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.QueryParameter;

/** Chosen under Manage Jenkins, System, Artifact Management for Builds. Holds the settings for all jobs. */
public final class CompressionAwareArtifactManagerFactory extends ArtifactManagerFactory {
    private static final Logger LOGGER = Logger.getLogger(CompressionAwareArtifactManagerFactory.class.getName());

    /** The codec that chooses itself. */
    static final String AUTO = "auto";

    /** Above zstd 9, a few percent cost a multiple of the processor time. */
    static final int DEFAULT_CEILING = 9;

    // a symbol rather than a Codec, so that a value saved by a newer version of the plugin is not lost
    private String codec = AUTO;
    private Integer level;

    @DataBoundConstructor
    public CompressionAwareArtifactManagerFactory() {}

    /** The settings in force: those of the first configured factory of this kind, or the defaults if there is none any more. */
    static CompressionAwareArtifactManagerFactory configured() {
        CompressionAwareArtifactManagerFactory factory = ArtifactManagerConfiguration.get()
                .getArtifactManagerFactories()
                .get(CompressionAwareArtifactManagerFactory.class);
        return factory != null ? factory : new CompressionAwareArtifactManagerFactory();
    }

    /** {@link Codec#symbol} of the codec for all blocks, or {@code auto}. */
    @NonNull
    public String getCodec() {
        return codec;
    }

    /**
     * Sets the codec.
     *
     * @throws IllegalArgumentException naming the valid ones, if there is no such codec
     */
    @DataBoundSetter
    public void setCodec(@NonNull String codec) {
        this.codec = AUTO.equalsIgnoreCase(codec)
                ? AUTO
                : Codec.ofSymbol(codec)
                        .orElseThrow(() -> new IllegalArgumentException(unknownCodec(codec)))
                        .symbol();
    }

    /** Level of gzip or zstd; null for the codec's default. */
    @CheckForNull
    public Integer getLevel() {
        return level;
    }

    /**
     * Sets the level.
     *
     * @throws IllegalArgumentException if no codec has this level
     */
    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        if (level != null && (level < Codec.ZSTD.minLevel() || level > Codec.ZSTD.maxLevel())) {
            throw new IllegalArgumentException(wrongLevel(Codec.ZSTD));
        }
        this.level = level;
    }

    /** The settings as the engine wants them. A level beyond the codec's highest counts as the highest. */
    SendOptions sendOptions() {
        if (!AUTO.equals(codec)) {
            Optional<Codec> known = Codec.ofSymbol(codec);
            if (known.isPresent()) {
                int highest = known.get().maxLevel();
                return new SendOptions(
                        known.get(), level == null ? known.get().defaultLevel() : Math.min(level, highest));
            }
            LOGGER.log(Level.WARNING, "Unknown codec {0}, {1} is used instead", new Object[] {codec, AUTO});
        }
        return new SendOptions(new Compression.Auto(0, DEFAULT_CEILING, EnumSet.allOf(Codec.class)));
    }

    @Override
    public ArtifactManager managerFor(Run<?, ?> build) {
        return new CompressionAwareArtifactManager(build);
    }

    private static String unknownCodec(String codec) {
        return Messages.CompressionAwareArtifactManagerFactory_unknownCodec(
                codec, AUTO + ", " + String.join(", ", Codec.symbols()));
    }

    private static String wrongLevel(Codec codec) {
        return Messages.CompressionAwareArtifactManagerFactory_wrongLevel(
                codec.symbol(), codec.minLevel(), codec.maxLevel());
    }

    @Extension
    @Symbol("compressionAware")
    public static final class DescriptorImpl extends ArtifactManagerFactoryDescriptor {
        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.CompressionAwareArtifactManagerFactory_displayName();
        }

        public ListBoxModel doFillCodecItems() {
            ListBoxModel items = new ListBoxModel();
            items.add(Messages.CompressionAwareArtifactManagerFactory_codec_auto(), AUTO);
            items.add(Messages.CompressionAwareArtifactManagerFactory_codec_none(), Codec.NONE.symbol());
            items.add(Messages.CompressionAwareArtifactManagerFactory_codec_lz4(), Codec.LZ4.symbol());
            items.add(Messages.CompressionAwareArtifactManagerFactory_codec_zstd(), Codec.ZSTD.symbol());
            items.add(Messages.CompressionAwareArtifactManagerFactory_codec_gzip(), Codec.GZIP.symbol());
            return items;
        }

        public FormValidation doCheckCodec(@QueryParameter String value) {
            return AUTO.equals(value) || Codec.ofSymbol(value).isPresent()
                    ? FormValidation.ok()
                    : FormValidation.error(unknownCodec(value));
        }

        public FormValidation doCheckLevel(@QueryParameter String value, @QueryParameter String codec) {
            if (value.isBlank()) {
                return FormValidation.ok();
            }
            Codec known = Codec.ofSymbol(codec).orElse(Codec.NONE);
            if (!known.hasLevels()) {
                return FormValidation.ok(Messages.CompressionAwareArtifactManagerFactory_levelIgnored(codec));
            }
            try {
                return known.acceptsLevel(Integer.parseInt(value.trim()))
                        ? FormValidation.ok()
                        : FormValidation.error(wrongLevel(known));
            } catch (NumberFormatException e) {
                return FormValidation.error(wrongLevel(known));
            }
        }
    }
}
