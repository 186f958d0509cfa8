package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.slaves.AbstractCloudSlave;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Facts learned from earlier agents of the same template: a pod lives for one build, and the next ones are like it. Measurements
 * on an agent's own connection take precedence. A wrong fact makes the next agent slower at worst: an address that one agent claims is
 * never given to another, whose blocks would go there.
 *
 * <p>A failure may be one agent's own trouble, so it counts for a short time, and only for agents of a cloud: one that stays is tried again
 * when it reconnects, since somebody may have mended it.
 *
 * @param names under which facts are kept, the closest first
 * @param stays whether it is the same agent each time
 */
@Restricted(NoExternalUse.class)
public record AgentKind(Memory memory, List<String> names, boolean stays) {
    static final AgentKind NONE = new AgentKind(new Memory(System::nanoTime), List.of(), true);

    /**
     * How long an agent's lost direct lane counts for others, nanoseconds, as on its own connection: one broken pod must not take it from all
     * for a day.
     */
    private static final long LANE_REST = DirectAccess.REST;

    /** Longest time that any fact is kept, nanoseconds. */
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    private static final int ANSWERS = -1;

    private enum Fact {
        /** Nanoseconds per byte to an agent. */
        LINK,
        /** Nanoseconds per byte from an agent. */
        UPLINK,
        /** The same while its lanes were writing. */
        LANES,
        /** Whether the direct lane answers; see {@link #laneIsLost}. */
        LANE,
        /** Most bytes of a direct lane's request. */
        BODY_LIMIT
    }

    private record About(String kind, Fact fact) {}

    private record Seen(double value, long when, long kept) {}

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

        private synchronized void learn(About about, double value, long kept) {
            facts.remove(about);
            facts.put(about, new Seen(value, clock.getAsLong(), kept));
            if (facts.size() > MOST) {
                facts.remove(facts.keySet().iterator().next());
            }
        }

        /** NaN if nothing was seen, or too long ago. */
        private synchronized double known(About about) {
            Seen seen = facts.get(about);
            return seen == null || clock.getAsLong() - seen.when > seen.kept ? Double.NaN : seen.value;
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
                : new AgentKind(memory, List.of("name " + node.getNodeName()), true);
    }

    public static AgentKind of(FilePath workspace, @CheckForNull String job) {
        return of(workspace.toComputer(), job);
    }

    static AgentKind ofCloud(Memory memory, String type, String labels, @CheckForNull String job) {
        String byLabels = type + " labels " + labels;
        return new AgentKind(memory, job == null ? List.of(byLabels) : List.of(byLabels, type + " job " + job), false);
    }

    private double known(Fact fact, double otherwise) {
        return names.stream()
                .mapToDouble(name -> memory.known(new About(name, fact)))
                .filter(value -> !Double.isNaN(value))
                .findFirst()
                .orElse(otherwise);
    }

    private void learn(Fact fact, double value, long kept) {
        names.forEach(name -> memory.learn(new About(name, fact), value, kept));
    }

    public void sawLink(double nanosPerByte) {
        learn(Fact.LINK, nanosPerByte, DAY);
    }

    /** Nanoseconds per byte to the last such agent; NaN if unknown. */
    public double nanosPerByte() {
        return known(Fact.LINK, Double.NaN);
    }

    /** Remembers nanoseconds per wire byte from the agent, for a day. */
    public void sawUplink(double nanosPerByte) {
        learn(Fact.UPLINK, nanosPerByte, DAY);
    }

    /** Nanoseconds per byte from the last such agent; NaN if unknown. */
    public double uplinkNanosPerByte() {
        return known(Fact.UPLINK, Double.NaN);
    }

    /** As {@link #sawUplink}, for the time in which the agent's lanes were writing, by its own report. */
    public void sawLanes(double nanosPerByte) {
        learn(Fact.LANES, nanosPerByte, DAY);
    }

    /** NaN if unknown. */
    public double lanesNanosPerByte() {
        return known(Fact.LANES, Double.NaN);
    }

    /**
     * Remembers how a transfer's direct lane has ended.
     *
     * @param settings {@link LaneSettings#changes} when the transfer began
     */
    void sawLane(boolean lost, int settings) {
        if (!stays) {
            learn(Fact.LANE, lost ? settings : ANSWERS, lost ? LANE_REST : DAY);
        }
    }

    /**
     * Whether the last such agent has lost its direct lane within ten minutes.
     *
     * @param settings {@link LaneSettings#changes}: a lane that was lost before the last change is tried again
     */
    boolean laneIsLost(int settings) {
        return known(Fact.LANE, ANSWERS) == settings;
    }

    /** Called only if something on the way has refused larger bodies: a limit that was only taken over must not live on for ever. */
    void sawBodyLimit(int bytes) {
        learn(Fact.BODY_LIMIT, bytes, DAY);
    }

    /** See {@link DirectOffer#bodyLimit}. */
    int bodyLimit() {
        return (int) known(Fact.BODY_LIMIT, DirectOffer.MAX_BODY);
    }
}
