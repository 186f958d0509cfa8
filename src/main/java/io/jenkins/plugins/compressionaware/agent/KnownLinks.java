package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.slaves.AbstractCloudSlave;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How fast links were, for the next agent of the same kind: a pod lives for one build, those that follow are like it. It is only where an agent begins: what it
 * sees itself goes before. In memory, so many kinds at most, each for a day. Any thread may call.
 */
final class KnownLinks {
    static final KnownLinks ALL = new KnownLinks(System::nanoTime);

    static final int MOST = 1_000;

    private static final long KEPT = TimeUnit.DAYS.toNanos(1);

    /** A link is fast below so many nanoseconds per byte (10 MB/s), as for a {@link HeadStart}. */
    private static final double FAST = HeadStart.FAST;

    private final LongSupplier clock;

    /** By kind, the one that was seen last at the end. */
    private final Map<String, Seen> links = new LinkedHashMap<>();

    private record Seen(double nanosPerByte, long when) {}

    /**
     * @param clock nanoseconds
     */
    KnownLinks(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * What an agent is one of, the closest first. An agent that stays is known by its name. One of a cloud has another name each time: it is
     * known by its labels, which are its template's; and by its job, since a cloud may make up a label for each pod that a Jenkinsfile describes.
     *
     * @param computer null if it has just gone
     */
    static List<String> kinds(@CheckForNull Computer computer, String job) {
        Node node = computer == null ? null : computer.getNode();
        if (node == null) {
            return List.of();
        }
        return node instanceof AbstractCloudSlave
                ? ofCloud(node.getClass().getName(), node.getLabelString(), job)
                : List.of("name " + node.getNodeName());
    }

    static List<String> ofCloud(String type, String labels, String job) {
        return List.of(type + " labels " + labels, type + " job " + job);
    }

    /** An agent of these kinds has had a link like this. */
    synchronized void seen(List<String> kinds, double nanosPerByte) {
        for (String kind : kinds) {
            links.remove(kind);
            links.put(kind, new Seen(nanosPerByte, clock.getAsLong()));
            if (links.size() > MOST) {
                links.remove(links.keySet().iterator().next());
            }
        }
    }

    /** Whether such an agent had a fast link last, as far as is remembered. */
    synchronized boolean isFast(List<String> kinds) {
        links.values().removeIf(link -> clock.getAsLong() - link.when > KEPT);
        return kinds.stream()
                .map(links::get)
                .filter(link -> link != null)
                .findFirst()
                .filter(link -> link.nanosPerByte < FAST)
                .isPresent();
    }
}
