package io.jenkins.plugins.compressionaware.engine.adaptive;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Totals of the blocks that one codec level compressed.
 *
 * @param rawBytes  bytes before compression
 * @param wireBytes bytes after compression, with frame headers
 * @param nanos     time to compress, summed over threads
 */
@Restricted(NoExternalUse.class)
public record CodecUsage(CodecLevel choice, long blocks, long rawBytes, long wireBytes, long nanos)
        implements Serializable {
    private static final long serialVersionUID = 1;

    public CodecUsage {
        // values come from the other JVM and are not trusted
        rawBytes = Math.max(0, rawBytes);
        wireBytes = Math.max(0, wireBytes);
        nanos = Math.max(0, nanos);
    }

    /** Returns the sum of two usages of the same codec level. */
    public CodecUsage plus(CodecUsage other) {
        return new CodecUsage(
                choice,
                blocks + other.blocks,
                rawBytes + other.rawBytes,
                wireBytes + other.wireBytes,
                nanos + other.nanos);
    }

    /** Returns all usages, most raw bytes first. */
    public static ArrayList<CodecUsage> sortedByRawBytes(Map<CodecLevel, CodecUsage> usages) {
        ArrayList<CodecUsage> list = new ArrayList<>(usages.values());
        list.sort((one, other) -> Long.compare(other.rawBytes, one.rawBytes));
        return list;
    }
}
