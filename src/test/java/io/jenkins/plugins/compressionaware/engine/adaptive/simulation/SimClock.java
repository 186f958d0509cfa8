package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import java.util.PriorityQueue;

/** Simulated time and future events. Simultaneous events happen in the order in which they were added. */
final class SimClock {
    private final PriorityQueue<Event> events = new PriorityQueue<>();

    /** Nanoseconds since the start. */
    private double now;

    private long planned;

    private record Event(double time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time == other.time ? Long.compare(number, other.number) : Double.compare(time, other.time);
        }
    }

    double now() {
        return now;
    }

    void at(double time, Runnable action) {
        events.add(new Event(Math.max(now, time), planned++, action));
    }

    void after(double nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** Runs the next event. Returns false if none is left. */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = next.time;
        next.action.run();
        return true;
    }
}
