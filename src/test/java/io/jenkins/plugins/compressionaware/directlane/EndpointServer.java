package io.jenkins.plugins.compressionaware.directlane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/** Serves the endpoint with the JDK's web server, without a Jenkins. */
final class EndpointServer implements Closeable {
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
        return proxy(StaplerRequest2.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getHeader" -> exchange.getRequestHeaders().getFirst((String) arguments[0]);
            case "getMethod" -> exchange.getRequestMethod();
            case "getContentType" -> exchange.getRequestHeaders().getFirst("Content-Type");
            case "getQueryString" -> exchange.getRequestURI().getQuery();
            case "getContentLength" -> length == null ? -1 : Integer.parseInt(length);
            case "getInputStream" -> new In(exchange.getRequestBody());
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
            return proxy(StaplerResponse2.class, (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "setStatus" -> status = (int) arguments[0];
                    case "setHeader" -> exchange.getResponseHeaders().set((String) arguments[0], (String) arguments[1]);
                    case "setContentType" -> {}
                    case "setContentLength" -> length = (int) arguments[0];
                    case "getOutputStream" -> {
                        begin();
                        return new Out(exchange);
                    }
                    default -> throw new AssertionError(method);
                }
                return null;
            });
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static final class In extends ServletInputStream {
        private final InputStream in;

        In(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return in.read(bytes, offset, length);
        }

        @Override
        public boolean isFinished() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReady() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Out extends ServletOutputStream {
        private final HttpExchange exchange;

        Out(HttpExchange exchange) {
            this.exchange = exchange;
        }

        @Override
        public void write(int b) throws IOException {
            exchange.getResponseBody().write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            exchange.getResponseBody().write(bytes, offset, length);
        }

        @Override
        public boolean isReady() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
