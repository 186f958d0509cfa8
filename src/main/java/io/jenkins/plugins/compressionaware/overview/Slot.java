package io.jenkins.plugins.compressionaware.overview;

import java.util.HashMap;
import java.util.Map;

/** What happened in one stretch of time. Not safe for use by several threads. */
final class Slot {
    /** Agents, and jobs, that have sums of their own. */
    static final int NAMES = 200;

    /** Milliseconds since 1970. */
    private final long start;

    private Sums all = Sums.NONE;
    private final HashMap<String, Sums> agents = new HashMap<>();
    private final HashMap<String, Sums> jobs = new HashMap<>();

    Slot(long start) {
        this.start = start;
    }

    private Slot(Slot other) {
        this(other.start);
        all = other.all;
        agents.putAll(other.agents);
        jobs.putAll(other.jobs);
    }

    Slot copy() {
        return new Slot(this);
    }

    long start() {
        return start;
    }

    Sums all() {
        return all;
    }

    Map<String, Sums> agents() {
        return agents;
    }

    Map<String, Sums> jobs() {
        return jobs;
    }

    void add(Sums one) {
        all = all.plus(one);
    }

    void addTo(Map<String, Sums> named, String name, Sums one) {
        if (named.size() >= NAMES && !named.containsKey(name)) {
            // whatever has moved least makes room: it is not what anybody looks for here
            named.entrySet().stream()
                    .min((a, b) -> Long.compare(a.getValue().rawBytes, b.getValue().rawBytes))
                    .ifPresent(least -> named.remove(least.getKey()));
        }
        named.merge(name, one, Sums::plus);
    }

    /** Whether another version, or a damaged file, has left something out. */
    boolean isIncomplete() {
        return all == null || agents == null || jobs == null || agents.containsValue(null) || jobs.containsValue(null);
    }
}
