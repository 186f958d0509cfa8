package io.jenkins.plugins.compressionaware.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Serves ranges of an array as the endpoint does, or fails like a faulty server, proxy or cache. */
public final class FakeRangeServer implements Closeable {
    public enum Fault {
        NONE,
        NOTHING,
        NOT_FOUND,
        PAGE,
        HALF,
        LATE,
        SILENCE,
        /** Sends the answer to another request. */
        CACHED
    }

    private final byte[] bytes;
    private final Supplier<Fault> faults;
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final CountDownLatch end = new CountDownLatch(1);
    private final FakeReceipts lane = new FakeReceipts();

    /**
     * @param executor runs the answers
     * @param faults   supplies the fault of each request, except probes; called by several threads
     */
    public FakeRangeServer(byte[] bytes, Executor executor, Supplier<Fault> faults) throws IOException {
        this.bytes = bytes;
        this.faults = faults;
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Returns an offer with the address of this server and this limit for a request, milliseconds. */
    public DirectLaneOffer offer(long requestMillis) {
        DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(5000, requestMillis);
        return Offers.of(3, false, limits, Offers.url(server.getAddress().getPort()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            FakeReceipts.Taken request = lane.verified(exchange);
            RangeRequest range = lane.order(exchange, request);
            if (range == null) {
                lane.receipt(exchange, request, 0, 3);
                exchange.sendResponseHeaders(DirectLaneOffer.TAKEN_STATUS, -1);
                return;
            }
            answer(exchange, faults.get(), request, range);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(HttpExchange exchange, Fault fault, FakeReceipts.Taken request, RangeRequest range)
            throws IOException, InterruptedException {
        if (fault == Fault.NOTHING) {
            return;
        }
        if (fault == Fault.NOT_FOUND) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        if (fault == Fault.PAGE) {
            byte[] page = "<html>".getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            return;
        }
        if (fault == Fault.LATE) {
            Thread.sleep(300);
        }
        int from = (int) range.position();
        byte[] given = Arrays.copyOfRange(bytes, from, from + range.length());
        long number = request.request().number() - (fault == Fault.CACHED ? 1 : 0);
        boolean half = fault == Fault.HALF || fault == Fault.SILENCE;
        lane.give(exchange, request, number, given, half ? given.length / 2 : given.length);
        exchange.getResponseBody().flush();
        if (fault == Fault.SILENCE) {
            end.await();
        }
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
    }
}
