package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertNull;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Offers;
import java.io.Closeable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A receiver with two streams and a direct lane through a proxy, whose frames are counted and not read. */
final class FrameCounter implements Closeable {
    /** Bytes of a frame. */
    static final int FRAME = frame(0).length();

    static final int FRAMES = 200;

    /** Raw bytes of a frame, so large that the next frame opens the direct lanes. */
    static final int LARGE = 4 << 20;

    private final Path folder = Files.createTempDirectory("receiver");
    private final EndpointServer server = new EndpointServer();
    private final Receiver receiver =
            new Receiver(folder.resolve("archive"), null, Set.of(), EntryDecoder.NONE, FRAME, Runnable::run);

    /** Passes all requests at first. */
    final FaultyHttpProxy proxy = new FaultyHttpProxy(server.port(), body -> null);

    FrameCounter() throws Exception {}

    String url() {
        return Offers.url(proxy.port());
    }

    DirectLaneOffer offer(boolean required) {
        return offer(required, Offers.LONG_LIMITS, url());
    }

    DirectLaneOffer offer(boolean required, DirectLaneOffer.Limits limits, String url) {
        return Offers.of(server.open(receiver), 3, required, limits, url);
    }

    /** @param offer null for streams only */
    SendTarget target(@CheckForNull DirectLaneOffer offer) {
        return target(offer, (write, length) -> true);
    }

    /** @param ofStreams acts before each write of a stream */
    SendTarget target(@CheckForNull DirectLaneOffer offer, LaneHook.Action ofStreams) {
        return CapturedTransfer.target(
                List.of(
                        new LaneHook(receiver.inbox().newLane(), ofStreams),
                        new LaneHook(receiver.inbox().newLane(), ofStreams)),
                CapturedTransfer.unlimitedCredit(),
                0,
                offer);
    }

    static EncodedFrame frame(int number) {
        byte[] frame = Frame.block(Codec.NONE, number, new byte[1000]);
        return new EncodedFrame(frame, frame.length, null);
    }

    /** Sends all frames. */
    static void send(FrameSender sender) throws Exception {
        sender.start();
        put(sender, 0, FRAMES);
        sender.finish();
    }

    /** Sends large frames with the numbers from {@code from} to {@code to}, exclusive. */
    static void put(FrameSender sender, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            sender.put(CompletableFuture.completedFuture(frame(i)), LARGE);
        }
    }

    void assertAllArrived() {
        assertNull(missing());
    }

    /** Returns how many frames have arrived; null if all have. */
    @CheckForNull
    String missing() {
        long arrived = receiver.inbox().frames();
        return arrived == FRAMES ? null : "only " + arrived + " frames have arrived";
    }

    @Override
    public void close() {
        try (proxy;
                server;
                receiver) {
            FileTrees.delete(folder);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
