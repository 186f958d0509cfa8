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
    /** State: no transfer with this number runs in this JVM. */
    public static final int UNKNOWN = 0;

    /** State: this end processes files or waits for its disk, for any length of time. */
    public static final int BUSY = 1;

    /** State: this end waits for the controller. */
    public static final int WAITS = 2;

    private static final Map<Long, AgentEnd> RUNNING = new ConcurrentHashMap<>();

    private final long id;
    private volatile Part part;

    private AgentEnd(long id) {
        this.id = id;
    }

    public interface Part {
        /**
         * Returns three numbers: {@link #BUSY} or {@link #WAITS}; the wire bytes sent or received so far; and the limit up to which this end may
         * send or has requested bytes.
         */
        long[] state();
    }

    /** Registers an end, initially busy. The caller must close it. */
    public static AgentEnd begin(long id) {
        AgentEnd end = new AgentEnd(id);
        RUNNING.put(id, end);
        return end;
    }

    public void follow(Part newPart) {
        part = newPart;
    }

    /** Returns the state of a transfer in the form of {@link Part#state}. */
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
