package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.report.Totals;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** What happened in one stretch of time. Not safe for use by several threads. */
final class Bucket {
    /** Agents, and jobs, that have totals of their own. */
    static final int NAMES = 200;

    /** Longest name that is kept, characters. */
    private static final int LONGEST = 300;

    /** Milliseconds since 1970. */
    final long start;

    Totals all = Totals.NONE;
    final HashMap<String, Totals> agents = new HashMap<>();
    final HashMap<String, Totals> jobs = new HashMap<>();

    Bucket(long start) {
        this.start = start;
    }

    Bucket copy() {
        Bucket copy = new Bucket(start);
        copy.all = all;
        copy.agents.putAll(agents);
        copy.jobs.putAll(jobs);
        return copy;
    }

    static void addTo(Map<String, Totals> named, String name, Totals one) {
        String key = name.length() <= LONGEST ? name : name.substring(0, LONGEST);
        if (named.size() >= NAMES && !named.containsKey(key)) {
            // whatever has moved least makes room: it is not what anybody looks for here
            named.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().rawBytes))
                    .ifPresent(least -> named.remove(least.getKey()));
        }
        named.merge(key, one, Totals::plus);
    }

    /** Whether another version, or a damaged file, has left something out. */
    boolean isIncomplete() {
        return all == null || agents == null || jobs == null || agents.containsValue(null) || jobs.containsValue(null);
    }
}
