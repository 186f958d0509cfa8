package io.jenkins.plugins.compressionaware.directlane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/** Serves the endpoint with the JDK's web server, without a Jenkins, for one transfer at a time, and records its requests. */
public final class EndpointServer implements Closeable {
    /** The usual terms of an agent's session. */
    static final DirectLaneSessions.Terms TERMS = new DirectLaneSessions.Terms("agent", 3);

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> new Thread(task, "web server"));
    private final HttpServer server;
    private final DirectLaneEndpoint endpoint = new DirectLaneEndpoint();
    private final AtomicInteger running = new AtomicInteger();
    private volatile DirectLaneSessions.Terms terms = TERMS;
    private volatile DirectLaneSessions.Session session;

    /** Number of concurrent requests at most. */
    public final AtomicInteger most = new AtomicInteger();

    /** Length of the longest body without seals, bytes. */
    public final AtomicInteger longest = new AtomicInteger();

    /** Bytes that the transfer has received or sent. */
    public final AtomicLong bytes = new AtomicLong();

    public final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();

    /** One permit for each complete response. */
    public final Semaphore answered = new Semaphore(0);

    public EndpointServer() throws IOException {
        this(null);
    }

    /** @param tls null for http */
    public EndpointServer(@CheckForNull SSLContext tls) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(any, 0);
        } else {
            HttpsServer https = HttpsServer.create(any, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = https;
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    /** Sets the number of requests that the next transfer may send at a time; 0 for none. */
    public void allow(int number) {
        terms = new DirectLaneSessions.Terms("agent", number);
    }

    /** Opens a session for an upload, and returns its secret. */
    public String open(Receiver receiver) {
        return open(DirectLaneSessions.ALL.openUpload(receiver.inbox().newDirectReceiver(), bytes::addAndGet, terms));
    }

    /** Opens a session for a download, and returns its secret. */
    public String open(FrameFile file) {
        return open(DirectLaneSessions.ALL.openDownload(file, bytes::addAndGet, entries -> {}, terms));
    }

    private String open(DirectLaneSessions.Session next) {
        if (session != null) {
            session.close();
        }
        session = next;
        return next.secret();
    }

    /** Occupies all connections of the session, as broken requests do until their threads notice. Returns a latch that frees them. */
    public CountDownLatch occupy() throws InterruptedException {
        CountDownLatch occupied = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        threads.submit(() -> {
            int requests = 0;
            while (session.begin()) {
                requests++;
            }
            occupied.countDown();
            try {
                over.await();
            } finally {
                for (; requests > 0; requests--) {
                    session.end();
                }
            }
            return null;
        });
        occupied.await();
        return over;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        connections.add(exchange.getRemoteAddress());
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        longest.accumulateAndGet(length == null ? 0 : Seal.openedLength(Integer.parseInt(length)), Math::max);
        Answer answer = new Answer(exchange);
        try (exchange) {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                endpoint.doIndex(request(exchange), answer.response());
            } finally {
                running.decrementAndGet();
            }
            answer.begin();
        }
        answered.release();
    }

    private static StaplerRequest2 request(HttpExchange exchange) {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        return ServletStubs.proxy(StaplerRequest2.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getHeader" -> exchange.getRequestHeaders().getFirst((String) arguments[0]);
            case "getMethod" -> exchange.getRequestMethod();
            case "getContentType" -> exchange.getRequestHeaders().getFirst("Content-Type");
            case "getQueryString" -> exchange.getRequestURI().getQuery();
            case "getContentLength" -> length == null ? -1 : Integer.parseInt(length);
            case "getInputStream" -> ServletStubs.body(exchange.getRequestBody());
            default -> throw new AssertionError(method);
        });
    }

    private static final class Answer {
        private final HttpExchange exchange;
        private int status;
        private int length = -1;
        private boolean begun;

        Answer(HttpExchange exchange) {
            this.exchange = exchange;
        }

        private void begin() throws IOException {
            if (!begun) {
                begun = true;
                exchange.sendResponseHeaders(status, length);
            }
        }

        StaplerResponse2 response() {
            return ServletStubs.proxy(StaplerResponse2.class, (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "setStatus" -> status = (int) arguments[0];
                    case "setHeader" -> exchange.getResponseHeaders().set((String) arguments[0], (String) arguments[1]);
                    case "setContentType" -> {}
                    case "setContentLength" -> length = (int) arguments[0];
                    case "getOutputStream" -> {
                        begin();
                        return ServletStubs.answer(exchange.getResponseBody());
                    }
                    default -> throw new AssertionError(method);
                }
                return null;
            });
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        if (session != null) {
            session.close();
        }
    }
}
