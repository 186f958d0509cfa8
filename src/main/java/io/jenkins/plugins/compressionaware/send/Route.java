package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The way to the receiving end.
 *
 * @param lanes            each leads to a lane of the receiver; at least one
 * @param credits          what the receiver says about the bytes it has consumed
 * @param credit           what the receiver lets the sender begin with, bytes of its heap
 * @param roundTripNanos   time of an empty message to the receiver and back, nanoseconds; 0 if not known
 * @param sharedProcessors processors that both ends share; 0 if each has its own, or nothing is known
 * @param direct           a way beside the lanes; null if there is none
 * @param codecs           where the codec libraries are; null if their first class brings them
 */
@Restricted(NoExternalUse.class)
public record Route(
        List<? extends OutputStream> lanes,
        InputStream credits,
        long credit,
        long roundTripNanos,
        int sharedProcessors,
        DirectOffer direct,
        CodecSource codecs) {}
