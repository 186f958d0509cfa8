package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.JavaProgram;
import io.jenkins.plugins.compressionaware.testkit.ShapingProxy;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A link of some shape: a proxy in a process of its own, so that its CPU time is nobody's else. All ports share the bandwidth. */
final class ShapedLink implements Closeable {
    private final Shape shape;
    private final Map<Integer, Integer> ports = new HashMap<>();
    private Process proxy;
    private PrintStream orders;
    private BufferedReader answers;

    ShapedLink(Shape shape) throws IOException {
        this.shape = shape;
        if (shape.isShaped()) {
            proxy = JavaProgram.of(
                            List.of("-Xmx256m"),
                            ShapingProxy.class,
                            Long.toString(shape.bitsPerSecond()),
                            Integer.toString(shape.roundTrip()))
                    .start();
            orders = new PrintStream(proxy.getOutputStream(), true);
            answers = proxy.inputReader();
        }
    }

    /** The port of the loopback interface on which the other end reaches a server on {@code port}. */
    synchronized int portTo(int port) throws IOException {
        if (!shape.isShaped()) {
            return port;
        }
        Integer known = ports.get(port);
        if (known == null) {
            orders.println(port);
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("The proxy for the link of " + shape.name() + " did not start");
            }
            known = Integer.valueOf(line);
            ports.put(port, known);
        }
        return known;
    }

    /** The proxy ends when its input does, so it also ends with this JVM. */
    @Override
    public void close() {
        if (proxy != null) {
            proxy.destroy();
        }
    }
}
