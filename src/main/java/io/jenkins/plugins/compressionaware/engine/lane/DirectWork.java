package io.jenkins.plugins.compressionaware.engine.lane;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The work of {@link DirectLanes}: sending or fetching. */
@Restricted(NoExternalUse.class)
public interface DirectWork {
    /** Direct lanes begin, and from now on streams wait for the work that these may give back; false if nothing is left for them. */
    boolean begin(int lanes);

    /** One lane fewer, which gives nothing back. */
    void end();

    DirectLane<?> lane(EndpointConnection connection);

    /** Sets the number of lanes that work from now on. */
    default void working(int lanes) {}

    /** Ends the transfer. */
    void fail(IOException reason);
}
