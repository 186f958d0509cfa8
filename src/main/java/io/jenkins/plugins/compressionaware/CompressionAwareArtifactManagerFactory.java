package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import hudson.Extension;
import hudson.Util;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.config.EnumSetting;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalFormValidation;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.OverrideFormValidation;
import io.jenkins.plugins.compressionaware.config.TransferOverride;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import net.sf.json.JSONObject;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.StaplerRequest2;

/** Creates the artifact manager of a build, and holds the settings under Manage Jenkins, System. A number that is null has its default. */
@Restricted(NoExternalUse.class)
public final class CompressionAwareArtifactManagerFactory extends StoringManagerFactory {
    // strings, because a newer version may have saved other values, which are preserved
    private String codec = EnumSetting.CODEC.defaultValue();
    private String checksum = EnumSetting.CHECKSUM.defaultValue();
    private String directHttp = EnumSetting.DIRECT_HTTP.defaultValue();
    private Integer level;
    private Integer minLevel;
    private Integer maxLevel;
    private Integer threads;
    private Integer maxStreams;
    private Integer reconnectSeconds;
    private String excludedLabels;
    private String excludedJobs;
    private String reuse = EnumSetting.REUSE.defaultValue();
    private String storage = EnumSetting.STORAGE.defaultValue();
    private String deduplicate = EnumSetting.DEDUPLICATE.defaultValue();
    private boolean lockOverrides;
    private boolean accelerateCopyArtifacts;

    // former names in saved settings; without the field, Jenkins would list the last one as unreadable data
    private transient String directLane;
    private transient Integer maxLanes;
    private transient String delta;

    @SuppressFBWarnings("UUF_UNUSED_FIELD")
    private transient Integer blockSize;

    @DataBoundConstructor
    public CompressionAwareArtifactManagerFactory() {}

    @Override
    public ArtifactManager managerFor(Run<?, ?> build) {
        ((DescriptorImpl) getDescriptor()).last = this;
        return exclusions().excludesBuild(build) ? null : CompressionAwareArtifactManager.of(build);
    }

    public String getCodec() {
        return codec;
    }

    @DataBoundSetter
    public void setCodec(@NonNull String codec) {
        this.codec = EnumSetting.CODEC.parse(codec);
    }

    @CheckForNull
    public Integer getLevel() {
        return level;
    }

    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        this.level = TransferSettings.LEVEL.require(level);
    }

    @CheckForNull
    public Integer getMinLevel() {
        return minLevel;
    }

    @DataBoundSetter
    public void setMinLevel(@CheckForNull Integer minLevel) {
        TransferSettings.requireMinNotAboveMax(TransferSettings.MIN_LEVEL.require(minLevel), maxLevel);
        this.minLevel = minLevel;
    }

    @CheckForNull
    public Integer getMaxLevel() {
        return maxLevel;
    }

    @DataBoundSetter
    public void setMaxLevel(@CheckForNull Integer maxLevel) {
        TransferSettings.requireMinNotAboveMax(minLevel, TransferSettings.MAX_LEVEL.require(maxLevel));
        this.maxLevel = maxLevel;
    }

    @CheckForNull
    public Integer getThreads() {
        return threads;
    }

    @DataBoundSetter
    public void setThreads(@CheckForNull Integer threads) {
        this.threads = TransferSettings.THREADS.require(threads);
    }

    public String getChecksum() {
        return checksum;
    }

    @DataBoundSetter
    public void setChecksum(@NonNull String checksum) {
        this.checksum = EnumSetting.CHECKSUM.parse(checksum);
    }

    public String getDirectHttp() {
        return directHttp;
    }

    @DataBoundSetter
    public void setDirectHttp(@NonNull String directHttp) {
        this.directHttp = EnumSetting.DIRECT_HTTP.parse(directHttp);
    }

    @CheckForNull
    public Integer getMaxStreams() {
        return maxStreams;
    }

    @DataBoundSetter
    public void setMaxStreams(@CheckForNull Integer maxStreams) {
        this.maxStreams = TransferSettings.STREAMS.require(maxStreams);
    }

    @CheckForNull
    public Integer getReconnectSeconds() {
        return reconnectSeconds;
    }

    @DataBoundSetter
    public void setReconnectSeconds(@CheckForNull Integer reconnectSeconds) {
        this.reconnectSeconds = TransferSettings.RECONNECT_SECONDS.require(reconnectSeconds);
    }

    /** Returns null, so that an export omits this and other former names, which YAML may still have. */
    @CheckForNull
    public String getDirectLane() {
        return null;
    }

    @DataBoundSetter
    public void setDirectLane(@CheckForNull String directLane) {
        if (directLane != null) {
            setDirectHttp(directLane);
        }
    }

    @CheckForNull
    public Integer getMaxLanes() {
        return null;
    }

    @DataBoundSetter
    public void setMaxLanes(@CheckForNull Integer maxLanes) {
        if (maxLanes != null) {
            setMaxStreams(maxLanes);
        }
    }

    /** Returns the label expression of the excluded agents; null for none. */
    @CheckForNull
    public String getExcludedLabels() {
        return excludedLabels;
    }

    @DataBoundSetter
    public void setExcludedLabels(@CheckForNull String excludedLabels) {
        this.excludedLabels = Exclusions.requireLabels(Util.fixEmptyAndTrim(excludedLabels));
    }

    /** Returns the {@linkplain Exclusions#jobs patterns} of the excluded jobs; null for none. */
    @CheckForNull
    public String getExcludedJobs() {
        return excludedJobs;
    }

    @DataBoundSetter
    public void setExcludedJobs(@CheckForNull String excludedJobs) {
        if (!Exclusions.areJobs(Util.fixNull(excludedJobs))) {
            throw new IllegalArgumentException(
                    "excludedJobs: " + Exclusions.checkJobs(excludedJobs).getMessage());
        }
        this.excludedJobs = Util.fixEmptyAndTrim(excludedJobs);
    }

    public String getReuse() {
        return reuse;
    }

    @DataBoundSetter
    public void setReuse(@NonNull String reuse) {
        this.reuse = EnumSetting.REUSE.parse(reuse);
    }

    @CheckForNull
    public String getDelta() {
        return null;
    }

    @DataBoundSetter
    public void setDelta(@CheckForNull String delta) {
        if (delta != null) {
            setReuse(delta);
        }
    }

    public String getStorage() {
        return storage;
    }

    @DataBoundSetter
    public void setStorage(@NonNull String storage) {
        this.storage = EnumSetting.STORAGE.parse(storage);
    }

    public String getDeduplicate() {
        return deduplicate;
    }

    @DataBoundSetter
    public void setDeduplicate(@NonNull String deduplicate) {
        this.deduplicate = EnumSetting.DEDUPLICATE.parse(deduplicate);
    }

    @Override
    public boolean isLockOverrides() {
        return lockOverrides;
    }

    @DataBoundSetter
    public void setLockOverrides(boolean lockOverrides) {
        this.lockOverrides = lockOverrides;
    }

    @Override
    public boolean isAccelerateCopyArtifacts() {
        return accelerateCopyArtifacts;
    }

    @DataBoundSetter
    public void setAccelerateCopyArtifacts(boolean accelerateCopyArtifacts) {
        this.accelerateCopyArtifacts = accelerateCopyArtifacts;
    }

    @Override
    public TransferSettings settings() {
        TransferOverride choice = TransferOverride.unchecked(codec, level);
        int min = TransferSettings.MIN_LEVEL.orDefault(minLevel);
        return new TransferSettings(
                choice.effectiveCodec(),
                choice.effectiveLevel(),
                min,
                Math.max(min, TransferSettings.MAX_LEVEL.orDefault(maxLevel)),
                EnumSetting.CHECKSUM.parse(Checksum.class, checksum),
                TransferSettings.THREADS.orDefault(threads),
                TransferSettings.STREAMS.orDefault(maxStreams),
                EnumSetting.DIRECT_HTTP.parse(TransferSettings.DirectLane.class, directHttp),
                !TransferSettings.OFF.equals(reuse),
                EnumSetting.STORAGE.parse(TransferSettings.Storage.class, storage),
                TransferSettings.RECONNECT_SECONDS.orDefault(reconnectSeconds));
    }

    @Override
    public Exclusions exclusions() {
        return new Exclusions(Util.fixNull(excludedLabels), Util.fixNull(excludedJobs));
    }

    @Override
    public FileDeduplicator.Method deduplication() {
        return EnumSetting.DEDUPLICATE.parse(FileDeduplicator.Method.class, deduplicate);
    }

    private Object readResolve() {
        directHttp = directLane == null ? directHttp : directLane;
        maxStreams = maxLanes == null ? maxStreams : maxLanes;
        reuse = delta == null ? reuse : delta;
        EnumSetting.CODEC.warnIfUnknown(codec);
        EnumSetting.CHECKSUM.warnIfUnknown(checksum);
        EnumSetting.DIRECT_HTTP.warnIfUnknown(directHttp);
        EnumSetting.REUSE.warnIfUnknown(reuse);
        EnumSetting.DEDUPLICATE.warnIfUnknown(deduplicate);
        EnumSetting.STORAGE.warnIfUnknown(storage);
        return this;
    }

    /** Describes the settings form. Form validation returns results only to administrators. */
    @Extension
    @Symbol("compressionAware")
    public static final class DescriptorImpl extends ArtifactManagerFactoryDescriptor
            implements OverrideFormValidation, GlobalFormValidation, GlobalSettings.Defaults {
        @CheckForNull
        private volatile CompressionAwareArtifactManagerFactory last;

        public DescriptorImpl() {
            HELP.forEach(field -> addHelpFileRedirect(field, ArtifactTransferProperty.class, field));
        }

        @Override
        public GlobalSettings lastOrDefaults() {
            if (last != null) {
                return last;
            }
            CompressionAwareArtifactManagerFactory defaults = new CompressionAwareArtifactManagerFactory();
            // an administrator may have forbidden it before the restart
            defaults.reuse = TransferSettings.OFF;
            return defaults;
        }

        @Override
        public String getDisplayName() {
            return Messages.CompressionAwareArtifactManagerFactory_displayName();
        }

        /** Creates the settings from a form, and preserves the settings that only YAML has. */
        @Override
        public ArtifactManagerFactory newInstance(StaplerRequest2 request, @NonNull JSONObject form)
                throws FormException {
            ArtifactManagerFactory submitted =
                    OverrideFormValidation.asFormException(() -> super.newInstance(request, form));
            if (GlobalSettings.get() instanceof CompressionAwareArtifactManagerFactory before
                    && submitted instanceof CompressionAwareArtifactManagerFactory after) {
                after.maxStreams = before.maxStreams;
                after.threads = before.threads;
            }
            return submitted;
        }
    }
}
