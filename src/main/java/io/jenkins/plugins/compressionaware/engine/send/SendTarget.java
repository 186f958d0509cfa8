package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The way to the receiving end.
 *
 * @param lanes            each leads to a lane of the receiver; at least one
 * @param credits          brings the receiver's grants of credit
 * @param credit           first credit, bytes of the receiver's heap
 * @param roundTripNanos   time of an empty message to the receiver and back, nanoseconds; 0 if unknown
 * @param uplinkNanosPerByte nanoseconds per wire byte of the lanes in an earlier transfer; NaN if unknown
 * @param sharedProcessors processors that both ends share; 0 if each has its own, or nothing is known
 * @param direct           offer of direct lanes; null if there is none
 * @param end              receives the state of the sending end; null if the receiver does not query it
 */
@Restricted(NoExternalUse.class)
public record SendTarget(
        List<? extends OutputStream> lanes,
        InputStream credits,
        long credit,
        long roundTripNanos,
        double uplinkNanosPerByte,
        int sharedProcessors,
        DirectLaneOffer direct,
        @CheckForNull AgentEnd end) {
    /** Creates a route without a registered end and without a rate from an earlier transfer. */
    public SendTarget(
            List<? extends OutputStream> lanes,
            InputStream credits,
            long credit,
            long roundTripNanos,
            int sharedProcessors,
            DirectLaneOffer direct) {
        this(lanes, credits, credit, roundTripNanos, Double.NaN, sharedProcessors, direct, null);
    }
}
