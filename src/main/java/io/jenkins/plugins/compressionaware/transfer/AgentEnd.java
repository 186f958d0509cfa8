package io.jenkins.plugins.compressionaware.transfer;

import java.io.Closeable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The end of a transfer in an agent's JVM, registered by a number so that the controller can query what it waits for when nothing arrives. Any thread may
 * call any method.
 */
@Restricted(NoExternalUse.class)
public final class AgentEnd implements Closeable {
    /** There is no such transfer here. */
    public static final int UNKNOWN = 0;

    /** Works on files or waits for its disk, however long that takes. */
    public static final int BUSY = 1;

    /** Waits for the controller. */
    public static final int WAITS = 2;

    private static final Map<Long, AgentEnd> RUNNING = new ConcurrentHashMap<>();

    private final long id;
    private volatile Part part;

    private AgentEnd(long id) {
        this.id = id;
    }

    /** The part of this end that knows what it waits for. */
    public interface Part {
        /** What it does now ({@link #BUSY} or {@link #WAITS}), wire bytes that it has sent or received, and bytes up to which it may send or has ordered. */
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

    /** State of a transfer, see {@link Part#state}. */
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
