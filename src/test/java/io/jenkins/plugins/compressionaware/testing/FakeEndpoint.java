package io.jenkins.plugins.compressionaware.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.DirectReceiver;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;

/** A direct-lane endpoint without Jenkins, for one receiver. */
public final class FakeEndpoint implements Closeable {
    private final FakeReceipts end = new FakeReceipts();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger running = new AtomicInteger();
    public final AtomicInteger most = new AtomicInteger();
    public final AtomicInteger longest = new AtomicInteger();
    public final AtomicLong bytes = new AtomicLong();
    public final List<InetSocketAddress> connections = java.util.Collections.synchronizedList(new ArrayList<>());
    /** Number of concurrent requests that the endpoint allows. */
    public volatile int allowed = 100;

    /** Number of next requests with a body whose connection is closed without an answer. */
    public final AtomicInteger breaks = new AtomicInteger();

    /** Number of next requests without a body that are never answered. */
    public final AtomicInteger silentProbes = new AtomicInteger();

    private volatile DirectReceiver receiver;

    public FakeEndpoint(SSLContext tls) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(any, 0);
        } else {
            HttpsServer https = HttpsServer.create(any, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = https;
        }
        server.setExecutor(threads);
        server.createContext("/", this::take);
        server.start();
    }

    public void leadTo(Receiver target) {
        receiver = target.inbox().newDirectReceiver();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        if (!connections.contains(exchange.getRemoteAddress())) {
            connections.add(exchange.getRemoteAddress());
        }
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            FakeReceipts.Taken request = end.verified(exchange);
            int length = request.length();
            longest.accumulateAndGet(length, Math::max);
            if (length == 0 && silentProbes.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                new CountDownLatch(1).await();
            }
            if (length > 0 && breaks.getAndDecrement() > 0) {
                running.decrementAndGet();
                return;
            }
            if (length > 0) {
                receiver.take(end.body(exchange, request), length);
            }
            bytes.addAndGet(length);
            running.decrementAndGet();
            end.receipt(exchange, request, length, allowed);
            exchange.sendResponseHeaders(DirectLaneOffer.TAKEN_STATUS, -1);
        } catch (IOException | InterruptedException e) {
            running.decrementAndGet();
            exchange.sendResponseHeaders(404, -1);
        } finally {
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
