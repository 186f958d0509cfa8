package io.jenkins.plugins.compressionaware.engine.lane;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The work of {@link DirectLaneGroup}: sending or fetching. */
@Restricted(NoExternalUse.class)
public interface DirectLaneClient {
    /** Direct lanes begin, and from now on streams wait for the work that these may give back; false if nothing is left for them. */
    boolean addLanes(int lanes);

    /** One lane fewer, which gives nothing back. */
    void removeLane();

    DirectLane<?> lane(HttpLaneConnection connection);

    /** Sets the number of lanes that work from now on. */
    default void onActiveLanesChanged(int lanes) {}

    /** Ends the transfer. */
    void fail(IOException reason);
}
