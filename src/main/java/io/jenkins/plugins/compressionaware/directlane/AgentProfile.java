package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.slaves.AbstractCloudSlave;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * What earlier agents of the same template have taught us, because a pod lives for one build and its successors behave alike. Measurements on an
 * agent's own connection take precedence. A wrong fact makes the next agent slower at worst.
 *
 * @param names under which facts are kept, the closest first
 */
@Restricted(NoExternalUse.class)
public record AgentProfile(Store memory, List<String> names) {
    static final AgentProfile NONE = new AgentProfile(new Store(System::nanoTime), List.of());

    /** How long a fact is kept, nanoseconds. */
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    private enum Property {
        /** Nanoseconds per byte to an agent. */
        LINK,
        /** Nanoseconds per byte from an agent. */
        UPLINK,
        /** Nanoseconds per byte from an agent while its lanes were writing. */
        LANES
    }

    private record Key(String kind, Property fact) {}

    private record Entry(double value, long when) {}

    /** The newest facts about agents. Jenkins has one, empty after each start. Any thread may call. */
    @Extension
    public static final class Store {
        static final int MAX_ENTRIES = 4_000;

        private final LongSupplier clock;
        private final Map<Key, Entry> facts = new LinkedHashMap<>();

        public Store() {
            this(System::nanoTime);
        }

        /** @param clock nanoseconds */
        Store(LongSupplier clock) {
            this.clock = clock;
        }

        private synchronized void learn(Key about, double value) {
            facts.remove(about);
            facts.put(about, new Entry(value, clock.getAsLong()));
            if (facts.size() > MAX_ENTRIES) {
                facts.remove(facts.keySet().iterator().next());
            }
        }

        /** NaN if nothing was seen, or too long ago. */
        private synchronized double known(Key about) {
            Entry seen = facts.get(about);
            return seen == null || clock.getAsLong() - seen.when > DAY ? Double.NaN : seen.value;
        }
    }

    /**
     * An agent that stays is known by its name. An agent of a cloud has another name each time: it is known by its labels, which come from its
     * template, and by its job, since a cloud may make up a label for each pod that a Jenkinsfile describes.
     *
     * @param computer null if it has just gone
     * @param job      full name; null if there is none
     */
    static AgentProfile of(@CheckForNull Computer computer, @CheckForNull String job) {
        Node node = computer == null ? null : computer.getNode();
        if (node == null) {
            return NONE;
        }
        Store memory = ExtensionList.lookupSingleton(Store.class);
        return node instanceof AbstractCloudSlave
                ? ofCloud(memory, node.getClass().getName(), node.getLabelString(), job)
                : new AgentProfile(memory, List.of("name " + node.getNodeName()));
    }

    public static AgentProfile of(FilePath workspace, @CheckForNull String job) {
        return of(workspace.toComputer(), job);
    }

    static AgentProfile ofCloud(Store memory, String type, String labels, @CheckForNull String job) {
        String byLabels = type + " labels " + labels;
        return new AgentProfile(memory, job == null ? List.of(byLabels) : List.of(byLabels, type + " job " + job));
    }

    private double known(Property fact) {
        return names.stream()
                .mapToDouble(name -> memory.known(new Key(name, fact)))
                .filter(value -> !Double.isNaN(value))
                .findFirst()
                .orElse(Double.NaN);
    }

    private void learn(Property fact, double value) {
        names.forEach(name -> memory.learn(new Key(name, fact), value));
    }

    public void recordDownlink(double nanosPerByte) {
        learn(Property.LINK, nanosPerByte);
    }

    /** Nanoseconds per byte to the last such agent; NaN if unknown. */
    public double nanosPerByte() {
        return known(Property.LINK);
    }

    /** Remembers nanoseconds per wire byte from the agent, for a day. */
    public void recordUplink(double nanosPerByte) {
        learn(Property.UPLINK, nanosPerByte);
    }

    /** Nanoseconds per byte from the last such agent; NaN if unknown. */
    public double uplinkNanosPerByte() {
        return known(Property.UPLINK);
    }

    /** Remembers, for a day, nanoseconds per wire byte while the agent's lanes were writing, by the agent's own report. */
    public void recordLanes(double nanosPerByte) {
        learn(Property.LANES, nanosPerByte);
    }

    /** Nanoseconds per byte while the lanes of the last such agent were writing; NaN if unknown. */
    public double lanesNanosPerByte() {
        return known(Property.LANES);
    }
}
