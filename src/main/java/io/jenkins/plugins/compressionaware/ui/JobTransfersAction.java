package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.PluginWrapper;
import hudson.model.Action;
import hudson.model.Api;
import hudson.model.Job;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.Messages;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import jenkins.model.Jenkins;
import jenkins.model.TransientActionFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** "Artifact transfers" of a job, for anyone who may read it: time, size and ratio over its builds. */
@Restricted(NoExternalUse.class)
public final class JobTransfersAction implements Action {
    /** Most builds that are shown. */
    static final int BUILDS = 100;

    /** Most builds that are examined for that, newest first: each may have to be loaded from the disk. */
    static final int LOOKED_AT = 200;

    private final Job<?, ?> job;

    private JobTransfersAction(Job<?, ?> job) {
        this.job = job;
    }

    /** Null if the last builds remember nothing; others would have to be loaded. */
    @CheckForNull
    @Override
    public String getIconFileName() {
        return hasTransfers(job.getLastBuild()) || hasTransfers(job.getLastSuccessfulBuild()) ? "symbol-swap" : null;
    }

    private static boolean hasTransfers(@CheckForNull Run<?, ?> build) {
        return build != null && build.getAction(BuildTransfersAction.class) != null;
    }

    @Override
    public String getDisplayName() {
        return Messages.BuildTransfersAction_displayName();
    }

    @Override
    public String getUrlName() {
        return "artifact-transfers";
    }

    /** For the page. */
    public Job<?, ?> getJob() {
        return job;
    }

    /** Builds that remember transfers, completed or failed, oldest first. */
    public List<TrendPoint> getBuilds() {
        List<TrendPoint> points = new ArrayList<>();
        Run<?, ?> build = job.getLastBuild();
        for (int i = 0; build != null && i < LOOKED_AT && points.size() < BUILDS; i++) {
            BuildTransfersAction transfers = build.getAction(BuildTransfersAction.class);
            if (transfers != null) {
                points.add(new TrendPoint(build, transfers.getTotal()));
            }
            build = build.getPreviousBuild();
        }
        Collections.reverse(points);
        return points;
    }

    /** For the page: whether a column of reused bytes has a figure. */
    public boolean anyReused(List<TrendPoint> points) {
        return points.stream().anyMatch(point -> point.total().reusedBytes > 0);
    }

    /** For the page: whether a column of shared bytes has a figure. */
    public boolean anyShared(List<TrendPoint> points) {
        return points.stream().anyMatch(point -> point.total().deduplicatedBytes > 0);
    }

    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }

    /** The same for programs. Only at this URL, and not part of the job's own API, since it loads builds. */
    public Api getApi() {
        return new Api(new Trend(getBuilds()));
    }

    @ExportedBean
    public record Trend(@Exported(inline = true) List<TrendPoint> builds) {}

    /** Whether the plugin that draws charts is active. Without it, the page has only the table. */
    public boolean isChartable() {
        PluginWrapper echarts = Jenkins.get().getPluginManager().getPlugin("echarts-api");
        return echarts != null && echarts.isActive();
    }

    @Extension
    public static final class Factory extends TransientActionFactory<Job<?, ?>> {
        @SuppressWarnings({"unchecked", "rawtypes"})
        @Override
        public Class<Job<?, ?>> type() {
            return (Class) Job.class;
        }

        @Override
        public Class<? extends Action> actionType() {
            return JobTransfersAction.class;
        }

        @NonNull
        @Override
        public Collection<? extends Action> createFor(@NonNull Job<?, ?> job) {
            return List.of(new JobTransfersAction(job));
        }
    }
}
