package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.report.Totals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Totals of the last week, of bounded size whatever has happened: by five minutes for an hour, by hours for a day, by days for a week, with agents
 * and jobs by day. Any thread may call any method; time is milliseconds since 1970. Saved as XML.
 */
final class RollingTotals {
    /** Stretches of time of one length. The last in the list is the newest. */
    private enum Span {
        HOUR(TimeUnit.MINUTES.toMillis(5), 12),
        DAY(TimeUnit.HOURS.toMillis(1), 24),
        WEEK(TimeUnit.DAYS.toMillis(1), 7);

        final long width;
        final int count;

        Span(long width, int count) {
            this.width = width;
            this.count = count;
        }

        boolean has(Bucket bucket, long now) {
            long newest = now - Math.floorMod(now, width);
            return bucket.start <= newest && bucket.start > newest - width * count;
        }
    }

    private final ArrayList<Bucket> hour = new ArrayList<>();
    private final ArrayList<Bucket> day = new ArrayList<>();
    private final ArrayList<Bucket> week = new ArrayList<>();

    synchronized void add(String agent, String job, Totals one, long now) {
        current(hour, Span.HOUR, now, one);
        current(day, Span.DAY, now, one);
        Bucket today = current(week, Span.WEEK, now, one);
        Bucket.addTo(today.agents, agent, one);
        Bucket.addTo(today.jobs, job, one);
    }

    private static Bucket current(List<Bucket> buckets, Span span, long now, Totals one) {
        long start = now - Math.floorMod(now, span.width);
        // a clock that was set back: what lies in the future would stay for ever
        buckets.removeIf(bucket -> !span.has(bucket, now));
        if (buckets.isEmpty() || buckets.get(buckets.size() - 1).start < start) {
            buckets.add(new Bucket(start));
        }
        Bucket current = buckets.get(buckets.size() - 1);
        current.all = current.all.plus(one);
        return current;
    }

    /** Of 55 to 60 minutes. */
    synchronized Totals lastHour(long now) {
        return sum(hour, Span.HOUR, now);
    }

    /** Of 23 to 24 hours. */
    synchronized Totals lastDay(long now) {
        return sum(day, Span.DAY, now);
    }

    /** Of 6 to 7 days. */
    synchronized Totals lastWeek(long now) {
        return sum(week, Span.WEEK, now);
    }

    private static Totals sum(List<Bucket> buckets, Span span, long now) {
        return buckets.stream()
                .filter(bucket -> span.has(bucket, now))
                .map(bucket -> bucket.all)
                .reduce(Totals.NONE, Totals::plus);
    }

    /** Of the last week, by name of the agent; empty for one that had gone. */
    synchronized Map<String, Totals> agents(long now) {
        return named(bucket -> bucket.agents, now);
    }

    /** Of the last week, by full name of the job. */
    synchronized Map<String, Totals> jobs(long now) {
        return named(bucket -> bucket.jobs, now);
    }

    private Map<String, Totals> named(Function<Bucket, Map<String, Totals>> kind, long now) {
        Map<String, Totals> totals = new HashMap<>();
        week.stream()
                .filter(bucket -> Span.WEEK.has(bucket, now))
                .forEach(bucket -> kind.apply(bucket).forEach((name, one) -> totals.merge(name, one, Totals::plus)));
        return totals;
    }

    private Stream<ArrayList<Bucket>> spans() {
        return Stream.of(hour, day, week);
    }

    /** What can be written while this goes on. */
    synchronized RollingTotals copy() {
        RollingTotals copy = new RollingTotals();
        hour.forEach(bucket -> copy.hour.add(bucket.copy()));
        day.forEach(bucket -> copy.day.add(bucket.copy()));
        week.forEach(bucket -> copy.week.add(bucket.copy()));
        return copy;
    }

    /** How many totals it has: what writing it, and all that is asked of it, costs. */
    synchronized int size() {
        return spans().flatMap(List::stream)
                .mapToInt(bucket -> 1 + bucket.agents.size() + bucket.jobs.size())
                .sum();
    }

    /** Whether it can be used, after it was read from a file. */
    boolean isWhole() {
        return spans().noneMatch(span -> span == null || span.contains(null))
                && spans().flatMap(List::stream).noneMatch(Bucket::isIncomplete);
    }
}
