package io.jenkins.plugins.compressionaware.engine.http;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The upload or download that a {@link DirectLaneGroup} opens lanes for. Its streams do the work that these lanes return: a direct lane may fail, but a
 * stream cannot fail without failing the transfer.
 */
@Restricted(NoExternalUse.class)
public interface DirectLaneClient {
    /** Adds direct lanes. Returns false if no work is left for them. */
    boolean addLanes(int lanes);

    /** Removes a direct lane that has no undelivered work. */
    void removeLane();

    DirectLane<?> lane(HttpLaneConnection connection);

    void fail(Throwable reason);
}
