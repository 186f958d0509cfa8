package io.jenkins.plugins.compressionaware.overview;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.agent.Admissions;
import io.jenkins.plugins.compressionaware.agent.LaneState;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.receive.HeapBudget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jenkins.model.Jenkins;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** All transfers at one moment, as the current user may see them. Loads no build and asks no agent. Cannot be changed. */
@ExportedBean(defaultVisibility = 2)
public final class Overview {
    /** Rows of a table. */
    static final int ROWS = 10;

    /** What an agent must have moved, bytes, before it is called slow: below, a transfer is mostly its start. */
    static final long ENOUGH = 16_000_000;

    @Exported(inline = true)
    public final List<RunningRow> running;

    @Exported(inline = true)
    public final Sums lastHour;

    @Exported(inline = true)
    public final Sums lastDay;

    @Exported(inline = true)
    public final Sums lastWeek;

    /** Of the last week, slowest first. */
    @Exported(inline = true)
    public final List<SumRow> slowestAgents;

    /** Of the last week, most raw bytes first. */
    @Exported(inline = true)
    public final List<SumRow> heaviestJobs;

    @Exported(inline = true)
    public final List<LaneRow> withoutDirectLane;

    /** Bytes that arriving blocks may take up now. */
    @Exported
    public final long heapInUse = HeapBudget.ofThisJvm().inUse();

    /** Most bytes that arriving blocks may take up. */
    @Exported
    public final long heapLimit = HeapBudget.ofThisJvm().limit();

    /** Connections of direct lanes. */
    @Exported
    public final int connectionsInUse = Admissions.ALL.inUse();

    /** What could be changed, in one sentence each, in the user's language. */
    @Exported
    public final List<String> advice;

    /** Agents without a direct lane that have no row. */
    @Exported
    public final int furtherWithoutDirectLane;

    private Overview(Transfers transfers, long now) {
        Ledger ledger = transfers.ledger();
        running = transfers.running().stream().map(RunningRow::new).toList();
        lastHour = ledger.lastHour(now);
        lastDay = ledger.lastDay(now);
        lastWeek = ledger.lastWeek(now);
        slowestAgents = slowest(ledger.agents(now));
        heaviestJobs = heaviest(ledger.jobs(now));
        TransferSettings settings = GlobalPolicy.configured().settings();
        advice = Advice.now(transfers, settings);
        List<LaneRow> without = withoutDirectLane(settings.directLane());
        withoutDirectLane = without.subList(0, Math.min(ROWS, without.size()));
        furtherWithoutDirectLane = without.size() - withoutDirectLane.size();
    }

    static Overview now(long millis) {
        return new Overview(Transfers.get(), millis);
    }

    private static List<SumRow> slowest(Map<String, Sums> agents) {
        return agents.entrySet().stream()
                .filter(agent ->
                        agent.getValue().rawBytes >= ENOUGH && !agent.getKey().isEmpty())
                .sorted(Comparator.comparingDouble(agent -> agent.getValue().rate()))
                .limit(ROWS)
                .map(agent -> {
                    Computer computer = Jenkins.get().getComputer(agent.getKey());
                    return new SumRow(agent.getKey(), computer == null ? null : computer.getUrl(), agent.getValue());
                })
                .toList();
    }

    private static List<SumRow> heaviest(Map<String, Sums> jobs) {
        return jobs.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Sums> job) -> job.getValue().rawBytes)
                        .reversed())
                .limit(ROWS)
                .map(job -> {
                    JobName name = JobName.of(job.getKey());
                    return new SumRow(name.fullName(), name.url(), job.getValue());
                })
                .toList();
    }

    private static List<LaneRow> withoutDirectLane(String mode) {
        List<LaneRow> rows = new ArrayList<>();
        for (Computer computer : Jenkins.get().getComputers()) {
            LaneState state = LaneState.of(computer, mode);
            if (state != null && state.kind() != LaneState.Kind.OPEN && state.kind() != LaneState.Kind.NOT_NEEDED) {
                rows.add(new LaneRow(computer, state));
            }
        }
        return rows;
    }

    /** For the page. */
    public List<SumRow> getPeriods() {
        return Stream.of(
                        new SumRow(Messages.Overview_hour(), null, lastHour),
                        new SumRow(Messages.Overview_day(), null, lastDay),
                        new SumRow(Messages.Overview_week(), null, lastWeek))
                .toList();
    }

    /** Most connections of direct lanes. */
    @Exported
    public int getConnectionsLimit() {
        return Admissions.CONNECTIONS;
    }

    /** For the page. */
    public String getHeap() {
        return Messages.Overview_of(Shown.bytes(heapInUse), Shown.bytes(heapLimit));
    }

    /** For the page. */
    public String getConnections() {
        return Messages.Overview_of(connectionsInUse, getConnectionsLimit());
    }
}
