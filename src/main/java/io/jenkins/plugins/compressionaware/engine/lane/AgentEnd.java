package io.jenkins.plugins.compressionaware.engine.lane;

import java.io.Closeable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An agent's end of a transfer, registered by a number so that the controller can query its state when no data arrives. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class AgentEnd implements Closeable {
    /** The transfer is unknown here. */
    public static final int UNKNOWN = 0;

    /** This end works on files or waits for its disk, for any time. */
    public static final int BUSY = 1;

    /** This end waits for the controller. */
    public static final int WAITS = 2;

    private static final Map<Long, AgentEnd> RUNNING = new ConcurrentHashMap<>();

    private final long id;
    private volatile Part part;

    private AgentEnd(long id) {
        this.id = id;
    }

    /** The part of this end that reports its state. */
    public interface Part {
        /** Returns {@link #BUSY} or {@link #WAITS}, the wire bytes sent or received, and the bytes up to which this end may send or has ordered. */
        long[] state();
    }

    /** Registers an end, which is busy at first. The caller closes it. */
    public static AgentEnd begin(long id) {
        AgentEnd end = new AgentEnd(id);
        RUNNING.put(id, end);
        return end;
    }

    public void follow(Part newPart) {
        part = newPart;
    }

    /** Returns the state of a transfer, see {@link Part#state}. */
    public static long[] stateOf(long id) {
        AgentEnd end = RUNNING.get(id);
        Part part = end == null ? null : end.part;
        return part == null ? new long[] {end == null ? UNKNOWN : BUSY, 0, 0} : part.state();
    }

    @Override
    public void close() {
        RUNNING.remove(id, this);
    }
}
