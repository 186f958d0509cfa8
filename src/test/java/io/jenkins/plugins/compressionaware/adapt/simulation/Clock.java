package io.jenkins.plugins.compressionaware.adapt.simulation;

import java.util.PriorityQueue;

/** Simulated time and what is to happen. Events at the same time happen in the order in which they were planned. */
final class Clock {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private double now;
    private long planned;

    private record Event(double time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time == other.time ? Long.compare(number, other.number) : Double.compare(time, other.time);
        }
    }

    /** Nanoseconds since the start. */
    double now() {
        return now;
    }

    void at(double time, Runnable action) {
        events.add(new Event(Math.max(now, time), planned++, action));
    }

    void after(double nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** Lets everything happen that was planned and follows from it; false when nothing is left. */
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
