package io.jenkins.plugins.compressionaware.transfer;

import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A sender's report on the direct lanes of a finished transfer.
 *
 * @param url         where the requests went; null if nothing answered
 * @param connections lanes that were opened
 * @param wireBytes   bytes that the receiver has acknowledged there
 * @param trouble     the first thing that went wrong, or why none of the addresses can be used; null if nothing
 * @param said        kinds of what went wrong; an array, so that an agent can say nothing else
 * @param lost        whether no lane was left in the end, or none has delivered anything
 * @param bodyLimit   bytes of a body with several frames that nothing on the way has refused, for {@link DirectOffer#bodyLimit} of the next offer
 */
@Restricted(NoExternalUse.class)
public record DirectReport(
        String url, int connections, long wireBytes, String trouble, LaneTrouble[] said, boolean lost, int bodyLimit)
        implements Serializable {
    /** Of what went wrong. */
    public EnumSet<LaneTrouble> kinds() {
        return LaneTrouble.set(said);
    }
}
