package io.jenkins.plugins.compressionaware.transfer;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The work of {@link DirectLanes}: to send, or to fetch. */
@Restricted(NoExternalUse.class)
public interface DirectWork {
    /** Asks how many requests may run at a time; see {@link EndpointConnection#probe}. */
    int probe(EndpointConnection connection) throws IOException;

    /** Direct lanes begin, and streams wait for what they give back; false if there is nothing left for them. */
    boolean begin(int lanes);

    /** One lane less, which gives nothing back. */
    void end();

    DirectLane lane(EndpointConnection connection);

    /** The number of lanes that work from now on. */
    default void working(int lanes) {}

    /** Ends the transfer. */
    void fail(IOException reason);
}
