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
import io.jenkins.plugins.compressionaware.report.TransferTotals;
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

/** The page "Artifact transfers" of a job: time, size and compression ratio of its builds, for everyone who may read the job. */
@Restricted(NoExternalUse.class)
public record JobTransfersAction(Job<?, ?> job) implements Action {
    /** Maximum number of builds on the page. */
    static final int BUILDS = 100;

    /** Maximum number of builds to examine, newest first, because each may have to be loaded from the disk. */
    static final int MAX_EXAMINED = 200;

    /** Returns null, which hides the link, if neither the last nor the last successful build has transfers. Other builds are not loaded. */
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

    /** Returns the newest builds with transfers, oldest first. */
    public List<TrendPoint> getBuilds() {
        List<TrendPoint> points = new ArrayList<>();
        Run<?, ?> build = job.getLastBuild();
        for (int i = 0; build != null && i < MAX_EXAMINED && points.size() < BUILDS; i++) {
            BuildTransfersAction transfers = build.getAction(BuildTransfersAction.class);
            if (transfers != null) {
                points.add(new TrendPoint(build, transfers.getTotal()));
            }
            build = build.getPreviousBuild();
        }
        Collections.reverse(points);
        return points;
    }

    public boolean anyReused(List<TrendPoint> points) {
        return points.stream().anyMatch(point -> point.total().reusedBytes > 0);
    }

    public boolean anyShared(List<TrendPoint> points) {
        return points.stream().anyMatch(point -> point.total().deduplicatedBytes > 0);
    }

    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }

    /** Returns the API of this page. The API of the job itself omits these figures, because reading them loads builds from the disk. */
    public Api getApi() {
        return new Api(new Trend(getBuilds()));
    }

    /** The totals of one build on a job's page. */
    @ExportedBean(defaultVisibility = 2)
    public record TrendPoint(
            Run<?, ?> build, @Exported(inline = true) TransferTotals total) {
        @Exported
        public int getNumber() {
            return build.getNumber();
        }

        @Exported
        public String getDisplayName() {
            return build.getDisplayName();
        }

        @Exported
        public long getTimestamp() {
            return build.getTimeInMillis();
        }
    }

    @ExportedBean
    public record Trend(@Exported(inline = true) List<TrendPoint> builds) {}

    /** Returns whether the ECharts plugin is active. Without it, the page has no chart. */
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
