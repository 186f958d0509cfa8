package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Where two streams and an end point lead to; it notes which of some numbered frames come. */
final class FakeReceiver implements Closeable {
    /** Bytes. */
    static final int FRAME = 1000;

    static final int FRAMES = 200;

    /** Raw bytes of a frame that opens the direct lanes when the next one comes. */
    static final int LARGE = 4 << 20;

    private final Set<Integer> arrived = new ConcurrentSkipListSet<>();
    private final AtomicInteger overStreams = new AtomicInteger();
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final LaneEnd end = new LaneEnd();
    private volatile boolean breakBodies;

    FakeReceiver() throws IOException {
        server.setExecutor(serving);
        server.createContext("/", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        LaneEnd.Taken request = end.verified(exchange);
        byte[] body = end.body(exchange, request).readAllBytes();
        if (breakBodies && body.length > 0) {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        note(body, 0, body.length);
        end.receipt(exchange, request, body.length, 3);
        exchange.sendResponseHeaders(DirectLaneOffer.TAKEN_STATUS, -1);
        exchange.close();
    }

    private void note(byte[] bytes, int offset, int length) {
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
            note(bytes, offset, length);
            overStreams.incrementAndGet();
        }
    }

    /** From now on the end point takes no request but a probe. */
    void breakBodies() {
        breakBodies = true;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    DirectLaneOffer offer(boolean required) {
        return offer(required, url());
    }

    /** Waits for a probe as long as a busy machine may need. */
    static DirectLaneOffer offer(boolean required, String url) {
        return offer(required, url, 20_000);
    }

    static DirectLaneOffer offer(boolean required, String url, long probeMillis) {
        DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(probeMillis, 20_000);
        return new DirectLaneOffer(
                new ArrayList<>(List.of(url)), LaneEnd.SECRET, false, 3, required, DirectLaneOffer.MAX_BODY, limits);
    }

    /** @param offer null for streams alone */
    SendTarget route(DirectLaneOffer offer) {
        return new SendTarget(List.of(new Stream(), new Stream()), CapturedTransfer.unlimitedCredit(), 0, 0, 0, offer);
    }

    static EncodedFrame frame(int number) {
        return new EncodedFrame(ByteBuffer.allocate(FRAME).putInt(number).array(), FRAME);
    }

    /** Sends all of them. */
    static void send(FrameSender sender) throws IOException, InterruptedException {
        sender.start();
        for (int i = 0; i < FRAMES; i++) {
            sender.put(CompletableFuture.completedFuture(frame(i)), LARGE);
        }
        sender.finish();
    }

    void assertAllArrived() {
        assertEquals(IntStream.range(0, FRAMES).boxed().collect(Collectors.toSet()), arrived);
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
