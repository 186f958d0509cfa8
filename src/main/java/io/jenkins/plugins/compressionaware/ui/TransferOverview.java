package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.directlane.LaneState;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.RollingTotals;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * A snapshot of all transfers for the administrator's page, limited to what the current user may see. Loads no builds and makes no calls to agents. Immutable.
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class TransferOverview {
    static final int ROWS = 10;

    /** Minimum bytes for the list of slow agents. With fewer bytes, an agent's rate mostly measures the start of its transfers. */
    static final long MIN_RANKED_BYTES = 16_000_000;

    @Exported
    public final List<String> advice;

    /** The newest build of each job with a transfer that failed or was aborted since yesterday. */
    @Exported(inline = true)
    public final List<JobReference> failedBuilds;

    @Exported(inline = true)
    public final List<RunningTransferRow> running;

    /** Totals of today and yesterday in UTC. */
    @Exported(inline = true)
    public final TransferTotals sinceYesterday;

    @Exported(inline = true)
    public final TransferTotals lastWeek;

    @Exported(inline = true)
    public final List<NamedTotals> slowestAgents;

    /** Jobs of the last week, most raw bytes first. */
    @Exported(inline = true)
    public final List<NamedTotals> heaviestJobs;

    @Exported(name = "directHttpOff")
    public final boolean directOff;

    /** Empty if {@link #directOff}. */
    @Exported(name = "withoutDirectHttp", inline = true)
    public final List<LaneState> withoutDirectLane;

    /** Number of agents without a direct lane that {@link #withoutDirectLane} omits. */
    @Exported(name = "furtherWithoutDirectHttp")
    public final int furtherWithoutDirectLane;

    /** Heap granted to incoming blocks, bytes. */
    @Exported
    public final long heapInUse = HeapBudget.ofThisJvm().inUse();

    /** Maximum heap for incoming blocks, bytes. */
    @Exported
    public final long heapLimit = HeapBudget.ofThisJvm().limit();

    @Exported
    public final int connectionsInUse = DirectLaneSessions.ALL.inUse();

    /**
     * The totals of a period, an agent or a job.
     *
     * @param name null for a job that the user may not read
     * @param url  relative to Jenkins' root URL; null if there is no page or the user may not see it
     */
    @ExportedBean(defaultVisibility = 2)
    public record NamedTotals(
            @Exported @CheckForNull String name,
            @CheckForNull String url,
            @Exported(inline = true) TransferTotals sums) {}

    /** @param now milliseconds since 1970 */
    TransferOverview(TransferRegistry transfers, long now) {
        RollingTotals totals = transfers.totals();
        TransferSettings settings = GlobalSettings.get().settings();
        List<LaneState> without = LaneState.withoutLane(settings);
        running = transfers.running().stream().map(RunningTransferRow::of).toList();
        sinceYesterday = totals.sinceYesterday(now);
        lastWeek = totals.lastWeek(now);
        advice =
                Advice.of(sinceYesterday, totals.agents(now), totals.jobs(now), transfers.unavailableCodecs(), without);
        failedBuilds = totals.failedBuilds(now).entrySet().stream()
                .map(build -> JobReference.ofBuild(build.getKey(), build.getValue()))
                .filter(build -> build.url() != null)
                .limit(ROWS)
                .toList();
        directOff = settings.directLane() == TransferSettings.DirectLane.OFF;
        slowestAgents = slowest(totals.agents(now));
        heaviestJobs = heaviest(totals.jobs(now));
        withoutDirectLane = without.subList(0, Math.min(ROWS, without.size()));
        furtherWithoutDirectLane = without.size() - withoutDirectLane.size();
    }

    private static List<NamedTotals> slowest(Map<String, TransferTotals> agents) {
        return agents.entrySet().stream()
                .filter(agent -> agent.getValue().rawBytes >= MIN_RANKED_BYTES
                        && !agent.getKey().isEmpty())
                .sorted(Comparator.comparingDouble(
                        agent -> (double) agent.getValue().rawBytes / agent.getValue().duration))
                .limit(ROWS)
                .map(agent -> {
                    Computer computer = Jenkins.get().getComputer(agent.getKey());
                    return new NamedTotals(
                            agent.getKey(), computer == null ? null : computer.getUrl(), agent.getValue());
                })
                .toList();
    }

    private static List<NamedTotals> heaviest(Map<String, TransferTotals> jobs) {
        return jobs.entrySet().stream()
                .sorted(Comparator.comparingLong(job -> -job.getValue().rawBytes))
                .limit(ROWS)
                .map(job -> {
                    JobReference name = JobReference.of(job.getKey());
                    return new NamedTotals(name.fullName(), name.url(), job.getValue());
                })
                .toList();
    }

    /** Returns the totals since yesterday and of the last week; empty if there are no transfers. */
    public List<NamedTotals> getPeriods() {
        return lastWeek.transfers == 0
                ? List.of()
                : List.of(
                        new NamedTotals(Messages.TransferOverview_sinceYesterday(), null, sinceYesterday),
                        new NamedTotals(Messages.TransferOverview_week(), null, lastWeek));
    }

    public boolean isAnyReused(List<NamedTotals> rows) {
        return rows.stream().anyMatch(row -> row.sums().reusedBytes > 0);
    }

    @Exported
    public int getConnectionsLimit() {
        return DirectLaneSessions.CONNECTIONS;
    }

    public FigureFormat getFormats() {
        return FigureFormat.ofReader();
    }
}
