package io.jenkins.plugins.compressionaware.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A limit that all transfers share, of which the transfers of one agent may hold only a part, so that no agent keeps it from the others. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class SharedLimit {
    private final int total;
    private final int perAgent;

    @GuardedBy("this")
    private int inUse;

    /** Amounts by name of the agent. An agent without any has no entry. */
    @GuardedBy("this")
    private final Map<String, Integer> held = new HashMap<>();

    /** @param perAgent maximum that one agent may hold of the total */
    public SharedLimit(int total, int perAgent) {
        this.total = total;
        this.perAgent = perAgent;
    }

    /** Returns what is free for all agents. */
    public synchronized int free() {
        return total - inUse;
    }

    public synchronized int inUse() {
        return inUse;
    }

    /** Takes as much as is free for this agent, at most {@code wanted}, and returns it. May be 0. */
    public synchronized int acquireUpTo(String agent, int wanted) {
        int amount = Math.min(wanted, Math.min(free(), perAgent - held.getOrDefault(agent, 0)));
        if (amount > 0) {
            inUse += amount;
            held.merge(agent, amount, Integer::sum);
        }
        return amount;
    }

    /** Takes this amount, or nothing and returns false. */
    public synchronized boolean tryAcquire(String agent, int amount) {
        int acquired = acquireUpTo(agent, amount);
        if (acquired < amount) {
            release(agent, acquired);
        }
        return acquired == amount;
    }

    /** Waits until at least one is free for this agent. Another thread may take it first. */
    public synchronized void await(String agent) throws InterruptedException {
        while (free() == 0 || held.getOrDefault(agent, 0) >= perAgent) {
            wait();
        }
    }

    public synchronized void release(String agent, int amount) {
        if (amount > 0) {
            inUse -= amount;
            held.merge(agent, -amount, (have, less) -> have + less == 0 ? null : have + less);
            notifyAll();
        }
    }
}
