package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Util;
import hudson.model.Label;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.staging.UnchangedFiles;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundSetter;

/** The administrator's settings for all jobs. A null number stands for its default. */
@Restricted(NoExternalUse.class)
public abstract class GlobalPolicy extends ArtifactManagerFactory {
    // strings, so that a value saved by a newer version of the plugin is not lost
    private String codec = ValidValues.CODEC.defaultValue();
    private String checksum = ValidValues.CHECKSUM.defaultValue();
    private String directLane = ValidValues.DIRECT_LANE.defaultValue();
    private Integer level;
    private Integer minLevel;
    private Integer maxLevel;
    private Integer threads;
    private Integer lanes;
    private Integer blockSize;
    private String exceptLabels;
    private String exceptJobs;
    private String delta = ValidValues.DELTA.defaultValue();
    private String sharing = ValidValues.SHARING.defaultValue();
    private boolean locked;
    private boolean copyArtifacts;

    /**
     * The policy of the first configured manager that has one. The defaults apply to builds that began before the plugin was removed from the list of
     * managers.
     */
    public static GlobalPolicy configured() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .filter(GlobalPolicy.class::isInstance)
                .map(GlobalPolicy.class::cast)
                .findFirst()
                .orElseGet(Defaults::new);
    }

    private static final class Defaults extends GlobalPolicy {
        @Override
        public ArtifactManager managerFor(Run<?, ?> build) {
            return null;
        }
    }

    /** One of {@link ValidValues#CODEC}, or a value saved by a newer version. */
    @NonNull
    public String getCodec() {
        return codec;
    }

    @DataBoundSetter
    public void setCodec(@NonNull String codec) {
        this.codec = ValidValues.CODEC.require(codec);
    }

    @CheckForNull
    public Integer getLevel() {
        return level;
    }

    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        this.level = TransferSettings.LEVEL.require(level);
    }

    /** Least effort of {@code auto}: 0 is stored, 1 lz4 or zstd 1, 2 to 19 a level of zstd. */
    @CheckForNull
    public Integer getMinLevel() {
        return minLevel;
    }

    @DataBoundSetter
    public void setMinLevel(@CheckForNull Integer minLevel) {
        TransferSettings.requireOrder(TransferSettings.MIN_LEVEL.require(minLevel), maxLevel);
        this.minLevel = minLevel;
    }

    /** Most effort of {@code auto}, on the same scale. */
    @CheckForNull
    public Integer getMaxLevel() {
        return maxLevel;
    }

    @DataBoundSetter
    public void setMaxLevel(@CheckForNull Integer maxLevel) {
        TransferSettings.requireOrder(minLevel, TransferSettings.MAX_LEVEL.require(maxLevel));
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

    /** One of {@link ValidValues#CHECKSUM}, or a value saved by a newer version. */
    @NonNull
    public String getChecksum() {
        return checksum;
    }

    @DataBoundSetter
    public void setChecksum(@NonNull String checksum) {
        this.checksum = ValidValues.CHECKSUM.require(checksum);
    }

    /** One of {@link ValidValues#DIRECT_LANE}, or a value saved by a newer version. */
    @NonNull
    public String getDirectLane() {
        return directLane;
    }

    @DataBoundSetter
    public void setDirectLane(@NonNull String directLane) {
        this.directLane = ValidValues.DIRECT_LANE.require(directLane);
    }

    @CheckForNull
    public Integer getLanes() {
        return lanes;
    }

    @DataBoundSetter
    public void setLanes(@CheckForNull Integer lanes) {
        this.lanes = TransferSettings.LANES.require(lanes);
    }

    /** Size of a block in KiB. */
    @CheckForNull
    public Integer getBlockSize() {
        return blockSize;
    }

    @DataBoundSetter
    public void setBlockSize(@CheckForNull Integer blockSize) {
        this.blockSize = TransferSettings.BLOCK_SIZE_KIB.require(blockSize);
    }

    /** Label expression of the agents whose artifacts are left to others; null for none. */
    @CheckForNull
    public String getExceptLabels() {
        return exceptLabels;
    }

    @DataBoundSetter
    public void setExceptLabels(@CheckForNull String exceptLabels) {
        this.exceptLabels = Util.fixEmptyAndTrim(exceptLabels);
        if (this.exceptLabels != null) {
            try {
                Label.parseExpression(this.exceptLabels);
            } catch (IllegalArgumentException e) {
                // without the parser's exception as its cause, whose trace the form would show
                throw new IllegalArgumentException("exceptLabels: " + e.getMessage());
            }
        }
    }

    /** Patterns of full names of the jobs whose artifacts are left to others, see {@link Exclusions#jobs}; null for none. */
    @CheckForNull
    public String getExceptJobs() {
        return exceptJobs;
    }

    @DataBoundSetter
    public void setExceptJobs(@CheckForNull String exceptJobs) {
        this.exceptJobs = Util.fixEmptyAndTrim(exceptJobs);
    }

    /** One of {@link ValidValues#DELTA}, or a value saved by a newer version. */
    @NonNull
    public String getDelta() {
        return delta;
    }

    @DataBoundSetter
    public void setDelta(@NonNull String delta) {
        this.delta = ValidValues.DELTA.require(delta);
    }

    /** One of {@link ValidValues#SHARING}, or a value saved by a newer version. */
    @NonNull
    public String getSharing() {
        return sharing;
    }

    @DataBoundSetter
    public void setSharing(@NonNull String sharing) {
        this.sharing = ValidValues.SHARING.require(sharing);
    }

    /** How unchanged files of finished builds share the disk; null if they do not. */
    @CheckForNull
    public UnchangedFiles.Sharing sharing() {
        return switch (getSharing()) {
            case "reflinks" -> UnchangedFiles.Sharing.REFLINKS;
            case "hardlinks" -> UnchangedFiles.Sharing.HARD_LINKS;
            default -> null;
        };
    }

    /** Whether choices of folders, jobs and steps are ignored. */
    public boolean isLocked() {
        return locked;
    }

    @DataBoundSetter
    public void setLocked(boolean locked) {
        this.locked = locked;
    }

    /** Whether {@code copyArtifacts} in a Pipeline fetches as {@code fetchArtifacts} does. */
    public boolean isCopyArtifacts() {
        return copyArtifacts;
    }

    @DataBoundSetter
    public void setCopyArtifacts(boolean copyArtifacts) {
        this.copyArtifacts = copyArtifacts;
    }

    public TransferSettings settings() {
        TransferChoice choice = TransferChoice.saved(codec, level);
        int min = TransferSettings.MIN_LEVEL.orDefault(minLevel);
        return new TransferSettings(
                choice.usedCodec(),
                choice.usedLevel(),
                min,
                Math.max(min, TransferSettings.MAX_LEVEL.orDefault(maxLevel)),
                TransferSettings.THREADS.orDefault(threads),
                ValidValues.CHECKSUM.orDefault(checksum),
                TransferSettings.LANES.orDefault(lanes),
                TransferSettings.BLOCK_SIZE_KIB.orDefault(blockSize) * 1024,
                ValidValues.DIRECT_LANE.orDefault(directLane),
                !TransferSettings.OFF.equals(delta));
    }

    public Exclusions exclusions() {
        return new Exclusions(Util.fixNull(exceptLabels), Util.fixNull(exceptJobs));
    }

    protected Object readResolve() {
        ValidValues.CODEC.warnIfUnknown(codec);
        ValidValues.CHECKSUM.warnIfUnknown(checksum);
        ValidValues.DIRECT_LANE.warnIfUnknown(directLane);
        ValidValues.DELTA.warnIfUnknown(delta);
        ValidValues.SHARING.warnIfUnknown(sharing);
        return this;
    }
}
