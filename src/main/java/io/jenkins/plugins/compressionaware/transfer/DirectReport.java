package io.jenkins.plugins.compressionaware.transfer;

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
 * @param trouble     the first problem, or why no address can be used; null if there was none
 * @param said        kinds of trouble; an array, so that an agent cannot send anything else
 * @param lost        whether no lane was left in the end, or there was trouble and none has delivered anything
 * @param bodyLimit   bytes of a body with several frames that nothing on the way has refused, for {@link DirectOffer#bodyLimit} of the next offer
 */
@Restricted(NoExternalUse.class)
public record DirectReport(
        String url, int connections, long wireBytes, String trouble, LaneTrouble[] said, boolean lost, int bodyLimit)
        implements Serializable {
    /** The kinds of trouble. */
    public EnumSet<LaneTrouble> kinds() {
        return LaneTrouble.set(said);
    }
}
