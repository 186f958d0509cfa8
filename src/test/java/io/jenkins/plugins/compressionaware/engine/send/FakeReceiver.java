package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FakeReceipts;
import io.jenkins.plugins.compressionaware.testing.Offers;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A receiver with two streams and an HTTP endpoint, which records the numbers of received frames. */
final class FakeReceiver implements Closeable {
    /** Bytes of a frame. */
    static final int FRAME = 1000;

    static final int FRAMES = 200;

    /** Raw bytes of a frame, so large that the next frame opens the direct lanes. */
    static final int LARGE = 4 << 20;

    private final Set<Integer> arrived = new ConcurrentSkipListSet<>();
    private final AtomicInteger overStreams = new AtomicInteger();
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final FakeReceipts end = new FakeReceipts();
    private final AtomicInteger bodies = new AtomicInteger();
    private volatile boolean breakBodies;
    private volatile boolean breakSome;

    FakeReceiver() throws IOException {
        server.setExecutor(serving);
        server.createContext("/", this::receive);
        server.start();
    }

    private void receive(HttpExchange exchange) throws IOException {
        FakeReceipts.Taken request = end.verified(exchange);
        byte[] body = end.body(exchange, request).readAllBytes();
        int number = body.length == 0 ? 0 : bodies.incrementAndGet();
        if (breakSome && number == 2) { // without an answer
            exchange.close();
            return;
        }
        if (breakBodies && number > 0 || breakSome && number == 4) {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        recordFrames(body, 0, body.length);
        end.receipt(exchange, request, body.length, 3);
        exchange.sendResponseHeaders(DirectLaneOffer.TAKEN_STATUS, -1);
        exchange.close();
    }

    private void recordFrames(byte[] bytes, int offset, int length) {
        for (int at = offset; at < offset + length; at += FRAME) {
            arrived.add(ByteBuffer.wrap(bytes, at, FRAME).getInt());
        }
    }

    private final class Stream extends OutputStream {
        @Override
        public void write(int b) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            recordFrames(bytes, offset, length);
            overStreams.incrementAndGet();
        }
    }

    /** Makes the endpoint reject all further requests except probes. */
    void breakBodies() {
        breakBodies = true;
    }

    /** Makes the endpoint break one connection, and reject a request over another. */
    void breakSome() {
        breakSome = true;
    }

    String url() {
        return Offers.url(server.getAddress().getPort());
    }

    /** Returns an offer with time limits that suffice on a busy machine. */
    DirectLaneOffer offer(boolean required) {
        return Offers.of(3, required, Offers.LONG_LIMITS, url());
    }

    /** @param offer null for streams only */
    SendTarget target(DirectLaneOffer offer) {
        return CapturedTransfer.target(
                List.of(new Stream(), new Stream()), CapturedTransfer.unlimitedCredit(), 0, offer);
    }

    static EncodedFrame frame(int number) {
        return new EncodedFrame(ByteBuffer.allocate(FRAME).putInt(number).array(), FRAME, null);
    }

    /** Sends all frames. */
    static void send(FrameSender sender) throws IOException, InterruptedException {
        sender.start();
        put(sender, 0, FRAMES);
        sender.finish();
    }

    /** Sends large frames with the numbers from {@code from} to {@code to}, exclusive. */
    static void put(FrameSender sender, int from, int to) throws IOException, InterruptedException {
        for (int i = from; i < to; i++) {
            sender.put(CompletableFuture.completedFuture(frame(i)), LARGE);
        }
    }

    void assertAllArrived() {
        assertEquals(IntStream.range(0, FRAMES).boxed().collect(Collectors.toSet()), arrived);
    }

    /** Returns which frames are missing; null if all have arrived. */
    String missing() {
        List<Integer> missing = IntStream.range(0, FRAMES)
                .boxed()
                .filter(n -> !arrived.contains(n))
                .toList();
        return missing.isEmpty() ? null : "these frames are missing: " + missing;
    }

    int overStreams() {
        return overStreams.get();
    }

    @Override
    public void close() {
        server.stop(0);
        serving.shutdownNow();
    }
}
