package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What was seen of agents, for the next ones of the same {@link AgentKind}: little, in memory, of so many kinds at most, each for a day
 * at most. Any thread may call.
 */
final class KnownKinds {
    static final int MOST = 1_000;

    /** How long anything is kept at most, nanoseconds. */
    static final long DAY = TimeUnit.DAYS.toNanos(1);

    /** What may be known of a kind. */
    enum Fact {
        /** Double: what a byte takes on the link, nanoseconds. */
        LINK,
        /** Double: what a byte takes from an agent, nanoseconds. */
        UPLINK,
        /** Integer: whether the direct lane answers; see {@link AgentKind#laneIsLost}. */
        LANE,
        /** Integer: of the direct lane's requests, bytes. */
        BODY_LIMIT
    }

    private record Seen(Object value, long when, long kept) {
        boolean isOver(long now) {
            return now - when > kept;
        }
    }

    private final LongSupplier clock;

    /** By kind, the one that was seen last at the end. */
    private final Map<String, Map<Fact, Seen>> kinds = new LinkedHashMap<>();

    /** Jenkins has one, new with each start. */
    @Extension
    public static final class OfJenkins {
        private final KnownKinds kinds = new KnownKinds(System::nanoTime);
    }

    static KnownKinds ofJenkins() {
        return ExtensionList.lookupSingleton(OfJenkins.class).kinds;
    }

    /**
     * @param clock nanoseconds
     */
    KnownKinds(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * An agent of this kind was like this.
     *
     * @param kept how long that counts, nanoseconds; {@link #DAY} at most
     */
    synchronized void learn(String kind, Fact fact, Object value, long kept) {
        long now = clock.getAsLong();
        Map<Fact, Seen> facts = kinds.remove(kind);
        if (facts == null) {
            facts = new EnumMap<>(Fact.class);
        }
        facts.put(fact, new Seen(value, now, Math.min(kept, DAY)));
        kinds.values().removeIf(others -> others.values().stream().allMatch(seen -> seen.isOver(now)));
        kinds.put(kind, facts);
        if (kinds.size() > MOST) {
            kinds.remove(kinds.keySet().iterator().next());
        }
    }

    /** How the last agent of this kind was; null if none was seen, or too long ago. */
    @CheckForNull
    synchronized Object known(String kind, Fact fact) {
        Map<Fact, Seen> facts = kinds.get(kind);
        Seen seen = facts == null ? null : facts.get(fact);
        return seen == null || seen.isOver(clock.getAsLong()) ? null : seen.value;
    }
}
