package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.run.Liveness;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.SendTarget;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Captures a transfer as an array of bytes, splits it into frames, and replays it to a receiver. */
public final class CapturedTransfer {
    public static final String NO_END = "The sender has finished without an end frame";

    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    private CapturedTransfer() {}

    /** Returns the bytes that a sender writes to its lane. */
    public static byte[] stream(Path base, Map<String, String> files, SendOptions options)
            throws IOException, InterruptedException {
        ByteArrayOutputStream lane = new ByteArrayOutputStream();
        Sender.send(base, files, options, route(List.of(lane), unlimitedCredit()), null);
        return lane.toByteArray();
    }

    /** Sends files to a lane that discards all bytes. */
    public static SendReport discard(Path base, Map<String, String> files, SendOptions options)
            throws IOException, InterruptedException {
        return Sender.send(
                base, files, options, route(List.of(OutputStream.nullOutputStream()), unlimitedCredit()), null);
    }

    /**
     * Stores files as frames.
     *
     * @param file frame file to create
     */
    public static Path store(Path base, Map<String, String> files, SendOptions options, Path file)
            throws IOException, InterruptedException {
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try (FrameFileWriter writer = new FrameFileWriter(file, partial, options.blockSize(), Long.MAX_VALUE)) {
            FrameFileSink.store(base, files, options, writer);
            writer.commit();
        }
        return file;
    }

    /** Returns a target on another machine, with a full credit window and without direct lanes. */
    public static SendTarget route(List<? extends OutputStream> lanes, InputStream credits) {
        return target(lanes, credits, Credit.WINDOW, null);
    }

    /** Returns the target of a sender that goes on where the earlier senders of a receiver have ended. */
    public static SendTarget target(List<? extends OutputStream> lanes, InputStream credits, Receiver receiver) {
        return new SendTarget(
                lanes,
                credits,
                receiver.inbox().credit(),
                receiver.inbox().heap(),
                receiver.inbox().frames(),
                0,
                Double.NaN,
                0,
                null,
                null);
    }

    /**
     * Returns a target on another machine.
     *
     * @param credit initial credit, bytes of the receiver's heap
     * @param offer  offer of direct lanes; null if there is none
     */
    public static SendTarget target(
            List<? extends OutputStream> lanes, InputStream credits, long credit, DirectLaneOffer offer) {
        return new SendTarget(lanes, credits, credit, 0, 0, 0, Double.NaN, 0, offer, null);
    }

    /** Returns a stream with one grant that is never exhausted. */
    public static InputStream unlimitedCredit() {
        return new ByteArrayInputStream(
                ByteBuffer.allocate(Long.BYTES).putLong(Long.MAX_VALUE).array());
    }

    /** Returns the limits of the grants that a sender received, in order. */
    public static List<Long> limits(byte[] received) {
        ByteBuffer in = ByteBuffer.wrap(received);
        List<Long> limits = new ArrayList<>();
        while (in.hasRemaining()) {
            limits.add(in.getLong());
        }
        return limits;
    }

    /** Splits a stream into frames. The last frame is the end frame. */
    public static List<byte[]> frames(byte[] stream) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        for (int start = 0; start < stream.length; start += frames.get(frames.size() - 1).length) {
            FrameEnvelope envelope = FrameEnvelope.forFirstByte(stream[start]);
            byte[] rest = Arrays.copyOfRange(stream, start, stream.length);
            frames.add(Arrays.copyOf(
                    rest, envelope.prefixLength() + envelope.read(rest).bodyLength()));
        }
        return frames;
    }

    public static byte[] join(List<byte[]> frames) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        frames.forEach(stream::writeBytes);
        return stream.toByteArray();
    }

    /** Replays a stream to a new receiver, whose sender then disconnects. */
    public static ReceiveReport deliver(byte[] stream, Path archive, Set<String> names, int maxBlock)
            throws IOException, InterruptedException {
        try (Receiver receiver = new Receiver(archive, null, names, EntryDecoder.NONE, maxBlock, THREADS)) {
            try (OutputStream lane = receiver.inbox().newLane()) {
                lane.write(stream);
            } catch (IOException e) {
                // the receiver throws the same exception
            }
            ReceiveReport report = CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {
                throw new EOFException(NO_END);
            });
            receiver.commit();
            return report;
        }
    }

    /** Receives everything from one sender. */
    public static ReceiveReport receive(Receiver receiver, OutputStream credits, Liveness sender)
            throws IOException, InterruptedException {
        receiver.start();
        try (Closeable grants = receiver.sendCredit(credits, receiver.inbox().credit())) {
            return receiver.awaitEnd(sender);
        }
    }
}
