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
public record AgentKind(Memory memory, List<String> names) {
    static final AgentKind NONE = new AgentKind(new Memory(System::nanoTime), List.of());

    /** How long a fact is kept, nanoseconds. */
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    private enum Fact {
        /** Nanoseconds per byte to an agent. */
        LINK,
        /** Nanoseconds per byte from an agent. */
        UPLINK,
        /** Nanoseconds per byte from an agent while its lanes were writing. */
        LANES
    }

    private record About(String kind, Fact fact) {}

    private record Seen(double value, long when) {}

    /** The newest facts about agents. Jenkins has one, empty after each start. Any thread may call. */
    @Extension
    public static final class Memory {
        static final int MOST = 4_000;

        private final LongSupplier clock;
        private final Map<About, Seen> facts = new LinkedHashMap<>();

        public Memory() {
            this(System::nanoTime);
        }

        /** @param clock nanoseconds */
        Memory(LongSupplier clock) {
            this.clock = clock;
        }

        private synchronized void learn(About about, double value) {
            facts.remove(about);
            facts.put(about, new Seen(value, clock.getAsLong()));
            if (facts.size() > MOST) {
                facts.remove(facts.keySet().iterator().next());
            }
        }

        /** NaN if nothing was seen, or too long ago. */
        private synchronized double known(About about) {
            Seen seen = facts.get(about);
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
    static AgentKind of(@CheckForNull Computer computer, @CheckForNull String job) {
        Node node = computer == null ? null : computer.getNode();
        if (node == null) {
            return NONE;
        }
        Memory memory = ExtensionList.lookupSingleton(Memory.class);
        return node instanceof AbstractCloudSlave
                ? ofCloud(memory, node.getClass().getName(), node.getLabelString(), job)
                : new AgentKind(memory, List.of("name " + node.getNodeName()));
    }

    public static AgentKind of(FilePath workspace, @CheckForNull String job) {
        return of(workspace.toComputer(), job);
    }

    static AgentKind ofCloud(Memory memory, String type, String labels, @CheckForNull String job) {
        String byLabels = type + " labels " + labels;
        return new AgentKind(memory, job == null ? List.of(byLabels) : List.of(byLabels, type + " job " + job));
    }

    private double known(Fact fact) {
        return names.stream()
                .mapToDouble(name -> memory.known(new About(name, fact)))
                .filter(value -> !Double.isNaN(value))
                .findFirst()
                .orElse(Double.NaN);
    }

    private void learn(Fact fact, double value) {
        names.forEach(name -> memory.learn(new About(name, fact), value));
    }

    public void sawLink(double nanosPerByte) {
        learn(Fact.LINK, nanosPerByte);
    }

    /** Nanoseconds per byte to the last such agent; NaN if unknown. */
    public double nanosPerByte() {
        return known(Fact.LINK);
    }

    /** Remembers nanoseconds per wire byte from the agent, for a day. */
    public void sawUplink(double nanosPerByte) {
        learn(Fact.UPLINK, nanosPerByte);
    }

    /** Nanoseconds per byte from the last such agent; NaN if unknown. */
    public double uplinkNanosPerByte() {
        return known(Fact.UPLINK);
    }

    /** Remembers, for a day, nanoseconds per wire byte while the agent's lanes were writing, by the agent's own report. */
    public void sawLanes(double nanosPerByte) {
        learn(Fact.LANES, nanosPerByte);
    }

    /** Nanoseconds per byte while the lanes of the last such agent were writing; NaN if unknown. */
    public double lanesNanosPerByte() {
        return known(Fact.LANES);
    }
}
