package io.jenkins.plugins.compressionaware.report;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Totals of the last week by day, agent and job, of bounded size. They can be saved as XML while transfers are added. Days are UTC days; times are milliseconds
 * since 1970. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class RollingTotals {
    /** Maximum number of agents with totals per day, and of jobs. */
    static final int MAX_NAMES_PER_DAY = 200;

    private static final int DAYS = 7;

    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    private static final int MAX_NAME_LENGTH = 300;

    static final class Day {
        final long start;

        volatile TransferTotals all = TransferTotals.NONE;
        final ConcurrentHashMap<String, TransferTotals> agents = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, TransferTotals> jobs = new ConcurrentHashMap<>();

        /** The newest build with a failed or aborted transfer, by full name of the job. */
        final ConcurrentHashMap<String, Integer> failed = new ConcurrentHashMap<>();

        public Day(long start) {
            this.start = start;
        }

        /** Returns whether a field is missing because the file is damaged or from another version. */
        public boolean isIncomplete() {
            return all == null || agents == null || jobs == null || failed == null;
        }
    }

    /** Oldest day first. */
    final CopyOnWriteArrayList<Day> week = new CopyOnWriteArrayList<>();

    public synchronized void add(String agent, String job, int build, TransferTotals one, long now) {
        long today = today(now);
        // removes future days, too: after the clock is set back, they would never expire
        week.removeIf(day -> day.start <= today - DAYS * DAY || day.start > today);
        if (week.isEmpty() || week.get(week.size() - 1).start < today) {
            week.add(new Day(today));
        }
        Day day = week.get(week.size() - 1);
        day.all = day.all.plus(one);
        add(day.agents, agent, one);
        add(day.jobs, job, one);
        if (one.failed > 0 && day.failed.size() < MAX_NAMES_PER_DAY && key(job).equals(job)) {
            day.failed.merge(job, build, Math::max);
        }
    }

    private static long today(long now) {
        return now - Math.floorMod(now, DAY);
    }

    // not one line, because pages find a job by its name, which may contain format characters
    private static String key(String name) {
        return BuildLogMessages.storable(name, MAX_NAME_LENGTH);
    }

    private static void add(Map<String, TransferTotals> named, String name, TransferTotals one) {
        String key = key(name);
        if (named.size() >= MAX_NAMES_PER_DAY && !named.containsKey(key)) {
            // the pages list the entries with the most bytes
            named.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().rawBytes))
                    .ifPresent(least -> named.remove(least.getKey()));
        }
        named.merge(key, one, TransferTotals::plus);
    }

    private Stream<Day> last(int count, long now) {
        long today = today(now);
        return week.stream().filter(day -> day.start > today - count * DAY && day.start <= today);
    }

    public synchronized TransferTotals sinceYesterday(long now) {
        return sum(2, now);
    }

    /** Returns the totals of today and the six days before. */
    public synchronized TransferTotals lastWeek(long now) {
        return sum(DAYS, now);
    }

    private TransferTotals sum(int count, long now) {
        return last(count, now).map(day -> day.all).reduce(TransferTotals.NONE, TransferTotals::plus);
    }

    /** Returns the totals of the last week by agent name, which is empty for a disconnected agent. */
    public synchronized Map<String, TransferTotals> agents(long now) {
        return named(day -> day.agents, now);
    }

    public synchronized Map<String, TransferTotals> jobs(long now) {
        return named(day -> day.jobs, now);
    }

    /** Returns the newest build with a failed or aborted transfer of today or yesterday, by full name of the job. */
    public synchronized Map<String, Integer> failedBuilds(long now) {
        Map<String, Integer> builds = new TreeMap<>();
        last(2, now).forEach(day -> builds.putAll(day.failed));
        return builds;
    }

    private Map<String, TransferTotals> named(Function<Day, Map<String, TransferTotals>> group, long now) {
        Map<String, TransferTotals> totals = new HashMap<>();
        last(DAYS, now)
                .forEach(day -> group.apply(day).forEach((name, one) -> totals.merge(name, one, TransferTotals::plus)));
        return totals;
    }

    /** Returns whether totals that were read from a file are usable. */
    public boolean isWhole() {
        return week != null && !week.contains(null) && week.stream().noneMatch(Day::isIncomplete);
    }
}
