package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Sums of the last week, of bounded size whatever has happened: by five minutes for an hour, by hours for a day, by days for a week, with agents
 * and jobs by day. Any thread may call any method; time is milliseconds since 1970. Saved as XML.
 */
final class Ledger {
    /** Longest name that is kept, characters. */
    private static final int LONGEST = 300;

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
    }

    private final ArrayList<Slot> hour = new ArrayList<>();
    private final ArrayList<Slot> day = new ArrayList<>();
    private final ArrayList<Slot> week = new ArrayList<>();

    synchronized void add(TransferResult result, long now) {
        Sums one = Sums.of(result);
        current(hour, Span.HOUR, now).add(one);
        current(day, Span.DAY, now).add(one);
        Slot today = current(week, Span.WEEK, now);
        today.add(one);
        today.addTo(today.agents(), shortened(result.transfer().agent()), one);
        today.addTo(today.jobs(), shortened(result.transfer().job()), one);
    }

    private static String shortened(String name) {
        return name.length() <= LONGEST ? name : name.substring(0, LONGEST);
    }

    private static Slot current(List<Slot> slots, Span span, long now) {
        long start = now - Math.floorMod(now, span.width);
        // a clock that was set back: what lies in the future would stay for ever
        slots.removeIf(slot -> slot.start() > start || slot.start() <= start - span.width * span.count);
        if (slots.isEmpty() || slots.get(slots.size() - 1).start() < start) {
            slots.add(new Slot(start));
        }
        return slots.get(slots.size() - 1);
    }

    /** Of 55 to 60 minutes. */
    synchronized Sums lastHour(long now) {
        return sum(hour, Span.HOUR, now);
    }

    /** Of 23 to 24 hours. */
    synchronized Sums lastDay(long now) {
        return sum(day, Span.DAY, now);
    }

    /** Of 6 to 7 days. */
    synchronized Sums lastWeek(long now) {
        return sum(week, Span.WEEK, now);
    }

    private static Sums sum(List<Slot> slots, Span span, long now) {
        return slots.stream()
                .filter(slot -> isRecent(slot, span, now))
                .map(Slot::all)
                .reduce(Sums.NONE, Sums::plus);
    }

    private static boolean isRecent(Slot slot, Span span, long now) {
        long start = now - Math.floorMod(now, span.width);
        return slot.start() <= start && slot.start() > start - span.width * span.count;
    }

    /** Of the last week, by name of the agent; empty for one that had gone. */
    synchronized Map<String, Sums> agents(long now) {
        return named(Slot::agents, now);
    }

    /** Of the last week, by full name of the job. */
    synchronized Map<String, Sums> jobs(long now) {
        return named(Slot::jobs, now);
    }

    private Map<String, Sums> named(Function<Slot, Map<String, Sums>> kind, long now) {
        Map<String, Sums> sums = new HashMap<>();
        week.stream()
                .filter(slot -> isRecent(slot, Span.WEEK, now))
                .forEach(slot -> kind.apply(slot).forEach((name, one) -> sums.merge(name, one, Sums::plus)));
        return sums;
    }

    /** What can be written while this goes on. */
    synchronized Ledger copy() {
        Ledger copy = new Ledger();
        hour.forEach(slot -> copy.hour.add(slot.copy()));
        day.forEach(slot -> copy.day.add(slot.copy()));
        week.forEach(slot -> copy.week.add(slot.copy()));
        return copy;
    }

    /** How many sums it has: what writing it, and all that is asked of it, costs. */
    synchronized int sizeInSums() {
        return Stream.of(hour, day, week)
                .flatMap(List::stream)
                .mapToInt(slot -> 1 + slot.agents().size() + slot.jobs().size())
                .sum();
    }

    /** Whether it can be used, after it was read from a file. */
    boolean isWhole() {
        return hour != null
                && day != null
                && week != null
                && Stream.of(hour, day, week)
                        .flatMap(List::stream)
                        .noneMatch(slot -> slot == null || slot.isIncomplete());
    }
}
