package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An agent's report on the direct lanes of a finished transfer.
 *
 * @param url         address of the requests; null if none answered
 * @param connections number of lanes that were opened
 * @param wireBytes   bytes that these lanes have delivered
 * @param trouble     the first problem that a new connection did not mend, or why no address can be used; null if there was none
 * @param said        kinds of trouble; an array, so that an agent cannot send anything else
 * @param bodyLimit   bytes of a body with several frames that nothing on the way has refused, for {@link DirectOffer#bodyLimit} of the next offer
 */
@Restricted(NoExternalUse.class)
public record DirectReport(
        @CheckForNull String url,
        int connections,
        long wireBytes,
        @CheckForNull String trouble,
        LaneTrouble[] said,
        Outcome outcome,
        int bodyLimit)
        implements Serializable {
    /** How direct lanes ended. */
    public enum Outcome {
        WORKED,
        /** At least one connection failed, and others delivered bytes. */
        LOST_A_CONNECTION,
        /** No connection was left in the end, or none delivered anything although one failed. */
        LOST
    }

    /** Whether the channel had to take over; an agent may send null. */
    public boolean lost() {
        return outcome != Outcome.WORKED && outcome != Outcome.LOST_A_CONNECTION;
    }

    /** The kinds of trouble. */
    public EnumSet<LaneTrouble> kinds() {
        return LaneTrouble.set(said);
    }
}
