package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.slaves.AbstractCloudSlave;
import io.jenkins.plugins.compressionaware.direct.KnownKinds.Fact;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.util.List;
import java.util.Objects;

/**
 * What an agent is one of, and what it begins with for that: a pod lives for one build, those that follow are like it. What is measured
 * on its own connection goes before. What passes from one agent to the next makes that slower at worst: an address that one claims is
 * never given to another, whose blocks would go there.
 *
 * <p>What does not work may be one agent's own trouble, so it counts for a short time, and for agents of a cloud alone: one that stays is
 * tried again when it connects anew, since somebody may have mended it.
 *
 * @param names the closest first
 * @param stays whether it is the same agent each time
 */
public record AgentKind(KnownKinds memory, List<String> names, boolean stays) {
    /** Nothing is known of it, or learned. */
    static final AgentKind NONE = new AgentKind(new KnownKinds(System::nanoTime), List.of(), true);

    /**
     * How long what takes the direct lane from an agent counts for others, as on its own connection: one broken pod must not take it from
     * all for a day.
     */
    private static final long LANE_REST = DirectAccess.REST;

    private static final int ANSWERS = -1;

    /**
     * An agent that stays is known by its name. One of a cloud has another name each time: it is known by its labels, which are its
     * template's; and by its job, since a cloud may make up a label for each pod that a Jenkinsfile describes.
     *
     * @param computer null if it has just gone
     * @param job      full name; null if there is none
     */
    static AgentKind of(@CheckForNull Computer computer, @CheckForNull String job) {
        Node node = computer == null ? null : computer.getNode();
        if (node == null) {
            return NONE;
        }
        return node instanceof AbstractCloudSlave
                ? ofCloud(KnownKinds.ofJenkins(), node.getClass().getName(), node.getLabelString(), job)
                : new AgentKind(KnownKinds.ofJenkins(), List.of("name " + node.getNodeName()), true);
    }

    public static AgentKind of(FilePath workspace, @CheckForNull String job) {
        return of(workspace.toComputer(), job);
    }

    static AgentKind ofCloud(KnownKinds memory, String type, String labels, @CheckForNull String job) {
        String byLabels = type + " labels " + labels;
        return new AgentKind(memory, job == null ? List.of(byLabels) : List.of(byLabels, type + " job " + job), false);
    }

    private <T> T known(Fact fact, Class<T> type, T otherwise) {
        return names.stream()
                .map(name -> memory.known(name, fact))
                .filter(Objects::nonNull)
                .map(type::cast)
                .findFirst()
                .orElse(otherwise);
    }

    private void learn(Fact fact, Object value, long kept) {
        names.forEach(name -> memory.learn(name, fact, value, kept));
    }

    /** For a day. */
    public void sawLink(double nanosPerByte) {
        learn(Fact.LINK, nanosPerByte, KnownKinds.DAY);
    }

    /** What a byte took on the link of the last such agent, nanoseconds; NaN if that is not known. */
    public double nanosPerByte() {
        return known(Fact.LINK, Double.class, Double.NaN);
    }

    /** For a day: what a byte that was archived took on its way. */
    public void sawUplink(double nanosPerByte) {
        learn(Fact.UPLINK, nanosPerByte, KnownKinds.DAY);
    }

    /** What it took last, nanoseconds; NaN if that is not known. */
    public double uplinkNanosPerByte() {
        return known(Fact.UPLINK, Double.class, Double.NaN);
    }

    /**
     * How a transfer's direct lane has ended.
     *
     * @param settings {@link LaneSettings#changes} when it began
     */
    void sawLane(boolean lost, int settings) {
        if (!stays) {
            learn(Fact.LANE, lost ? settings : ANSWERS, lost ? LANE_REST : KnownKinds.DAY);
        }
    }

    /**
     * Whether the last such agent has lost its direct lane, some minutes ago.
     *
     * @param settings {@link LaneSettings#changes}: what was lost before the last change is tried again
     */
    boolean laneIsLost(int settings) {
        return known(Fact.LANE, Integer.class, ANSWERS) == settings;
    }

    /** To be called where something on the way has refused larger ones: a limit that was only taken over must not live on for ever. */
    void sawBodyLimit(int bytes) {
        learn(Fact.BODY_LIMIT, bytes, KnownKinds.DAY);
    }

    /** See {@link DirectOffer#bodyLimit}. */
    int bodyLimit() {
        return known(Fact.BODY_LIMIT, Integer.class, DirectOffer.MAX_BODY);
    }
}
