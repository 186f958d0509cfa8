package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import java.io.Serializable;
import java.util.ArrayList;

/**
 * What a sender says about a finished transfer. Times are in nanoseconds; those of stages that run on several threads are sums over them.
 *
 * @param usages       blocks and bytes of each codec and level, most bytes first
 * @param reason       why they were chosen; null if they were prescribed
 * @param unusable     codecs that were to be used but do not work on the sender's machine
 * @param entries      files, links and directories sent
 * @param contentBytes bytes of file contents
 * @param wireBytes    bytes given to the lanes
 * @param threads      that compressed
 * @param readNanos    reading files and making tar of them
 * @param writeNanos   in writes to the lanes, blocked or not
 * @param heldNanos    lanes waited for the receiver to allow more
 * @param starvedNanos lanes waited for a frame
 * @param direct       what came of the direct lanes; null if none were tried
 * @param cpuNanos     processor time of all threads of the transfer; -1 where the JVM does not tell
 */
public record SendReport(
        ArrayList<Usage> usages,
        Reason reason,
        ArrayList<CodecProbe.Unusable> unusable,
        int entries,
        long contentBytes,
        long wireBytes,
        int threads,
        long readNanos,
        long writeNanos,
        long heldNanos,
        long starvedNanos,
        DirectReport direct,
        long cpuNanos)
        implements Serializable {}
