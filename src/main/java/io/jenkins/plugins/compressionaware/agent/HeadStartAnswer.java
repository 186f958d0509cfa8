package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a {@link HeadStart} says when it ends, see {@link HeadStart#invoke}; on the controller. What an agent says is not trusted: figures are bounded
 * where they are used.
 */
record HeadStartAnswer(
        boolean all,
        long onLane,
        long laneNanos,
        long slowRaw,
        long slowWire,
        long slowNanos,
        long nanos,
        byte[] rest) {
    /** @throws IOException if it is too short */
    static HeadStartAnswer of(byte[] bytes) throws IOException {
        if (bytes.length < HeadStart.ANSWER) {
            throw new IOException("a damaged answer");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new HeadStartAnswer(
                buffer.get() == 1,
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                Arrays.copyOfRange(bytes, HeadStart.ANSWER, bytes.length));
    }

    /** What a byte takes on the link, nanoseconds; negative if too little has been sent to know. */
    double nanosPerByte() {
        return onLane < HeadStart.SEEN ? -1 : (double) laneNanos / (onLane - HeadStart.WINDOW);
    }

    /**
     * What was made with which level; all wire bytes are of one of them, also where the level has changed when nothing was left to read.
     *
     * @param raw  bytes of contents
     * @param wire bytes that they came in
     */
    List<Usage> usages(long raw, long wire) {
        long slow = bounded(slowRaw, raw);
        long ofSlow = slow == 0 ? 0 : slow == raw ? wire : bounded(slowWire, wire);
        long time = bounded(slowNanos, nanos);
        return Stream.of(
                        new Usage(new Choice(Codec.GZIP, 6), 1, slow, ofSlow, time),
                        new Usage(new Choice(Codec.GZIP, 1), 1, raw - slow, wire - ofSlow, Math.max(0, nanos) - time))
                .filter(usage -> usage.rawBytes() > 0)
                .toList();
    }

    private static long bounded(long said, long most) {
        return Math.max(0, Math.min(said, most));
    }
}
