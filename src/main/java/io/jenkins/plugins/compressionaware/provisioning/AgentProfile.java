package io.jenkins.plugins.compressionaware.provisioning;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.model.Node;
import hudson.slaves.AbstractCloudSlave;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Link speeds measured on earlier agents of the same template, because a pod lives for one build and its successors behave alike. Measurements on an agent's
 * own connection take precedence. A wrong value only makes the next agent slower: an agent's times are limited to the time that the controller measured, and
 * the bytes are the controller's own count.
 *
 * @param names names under which values are stored, the most specific first
 */
@Restricted(NoExternalUse.class)
public record AgentProfile(Store store, List<String> names) {
    /** Minimum wire bytes of a transfer from which the time per byte is measured. */
    public static final int MIN_SAMPLE_BYTES = 1 << 20;

    private static final long MAX_AGE_NANOS = TimeUnit.DAYS.toNanos(1);

    /** Nanoseconds per byte of a link that is faster than any agent can use. */
    private static final double FASTEST = 0.1;

    /** Nanoseconds per byte of a link that no build would survive: 1 kB/s. */
    private static final double SLOWEST = 1e6;

    public enum Property {
        /** Nanoseconds per wire byte sent to an agent. */
        DOWNLINK,
        /** Nanoseconds per wire byte received from an agent. */
        UPLINK,
        /** Nanoseconds per wire byte while the agent's lanes were writing, as reported by the agent. */
        WRITE_COST
    }

    private record Key(String name, Property property) {}

    private record Entry(double value, long when) {}

    /** The newest values of all profiles. Jenkins has one store, which is empty after each start. Thread-safe. */
    @Extension
    public static final class Store {
        static final int MAX_ENTRIES = 4_000;

        private final LongSupplier clock;

        @GuardedBy("this")
        private final Map<Key, Entry> values = new LinkedHashMap<>();

        public Store() {
            this(System::nanoTime);
        }

        /** @param clock returns nanoseconds */
        Store(LongSupplier clock) {
            this.clock = clock;
        }

        private synchronized void put(Key key, double value) {
            values.remove(key);
            values.put(key, new Entry(value, clock.getAsLong()));
            if (values.size() > MAX_ENTRIES) {
                values.remove(values.keySet().iterator().next());
            }
        }

        /** Returns the stored value; NaN if there is none or it is too old. */
        private synchronized double find(Key key) {
            Entry entry = values.get(key);
            return entry == null || clock.getAsLong() - entry.when > MAX_AGE_NANOS ? Double.NaN : entry.value;
        }
    }

    /**
     * Returns the profile of an agent. A permanent agent is identified by its name. A cloud agent is identified by its labels, which its template defines,
     * and by its job, because a cloud may generate a label for each pod that a Jenkinsfile describes.
     *
     * @param job full name; null if there is none
     */
    public static AgentProfile of(FilePath workspace, @CheckForNull String job) {
        Node node = Exclusions.agentOf(workspace);
        if (node == null) {
            return new AgentProfile(new Store(), List.of());
        }
        Store store = ExtensionList.lookupSingleton(Store.class);
        return node instanceof AbstractCloudSlave
                ? ofCloud(store, node.getClass().getName(), node.getLabelString(), job)
                : new AgentProfile(store, List.of("name " + node.getNodeName()));
    }

    static AgentProfile ofCloud(Store store, String type, String labels, @CheckForNull String job) {
        String byLabels = type + " labels " + labels;
        return new AgentProfile(store, job == null ? List.of(byLabels) : List.of(byLabels, type + " job " + job));
    }

    /** Returns the value of the last agent with this profile; NaN if unknown. */
    public double find(Property property) {
        return names.stream()
                .mapToDouble(name -> store.find(new Key(name, property)))
                .filter(value -> !Double.isNaN(value))
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Stores a value. Drops one that is negative, not a number, or too large for a link. */
    public void put(Property property, double nanosPerByte) {
        if (nanosPerByte >= 0 && nanosPerByte <= SLOWEST) {
            names.forEach(name -> store.put(new Key(name, property), Math.max(FASTEST, nanosPerByte)));
        }
    }
}
