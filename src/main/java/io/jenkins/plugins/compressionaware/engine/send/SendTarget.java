package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Describes the receiving end to its sender: lanes, credit and network measurements.
 *
 * @param lanes            output streams, each to a lane of the receiver; at least one
 * @param credits          input stream with the receiver's credit grants
 * @param credit           initial credit, bytes of the receiver's heap
 * @param spentCredit      part of the credit that earlier senders of the transfer have used, bytes
 * @param firstFrame       number of the first frame; not 0 after other senders
 * @param roundTripNanos   round-trip time of an empty message, nanoseconds; 0 if unknown
 * @param uplinkNanosPerByte cost of the lanes in an earlier transfer, nanoseconds per wire byte; NaN if unknown
 * @param sharedProcessors number of processors that both ends share; 0 if they share none, or if unknown
 * @param direct           offer of direct lanes; null if there is none
 * @param end              registration by which the receiver queries the sender's state; null if it does not
 */
@Restricted(NoExternalUse.class)
public record SendTarget(
        List<? extends OutputStream> lanes,
        InputStream credits,
        long credit,
        long spentCredit,
        long firstFrame,
        long roundTripNanos,
        double uplinkNanosPerByte,
        int sharedProcessors,
        DirectLaneOffer direct,
        @CheckForNull AgentEnd end) {
    /** Describes a store, which has no lanes and grants no credit. */
    static SendTarget store() {
        return new SendTarget(List.of(), InputStream.nullInputStream(), 0, 0, 0, 0, Double.NaN, 0, null, null);
    }
}
