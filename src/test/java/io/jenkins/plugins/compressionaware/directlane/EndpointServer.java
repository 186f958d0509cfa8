package io.jenkins.plugins.compressionaware.directlane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/** Serves the endpoint with the JDK's web server, without a Jenkins. */
final class EndpointServer implements Closeable {
    /** The usual terms of an agent's session. */
    static final DirectLaneSessions.Terms TERMS = new DirectLaneSessions.Terms("agent", 3);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final DirectLaneEndpoint endpoint = new DirectLaneEndpoint();

    EndpointServer() throws IOException {
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        Answer answer = new Answer(exchange);
        try (exchange) {
            endpoint.doIndex(request(exchange), answer.response());
            answer.begin();
        }
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
    }
}
