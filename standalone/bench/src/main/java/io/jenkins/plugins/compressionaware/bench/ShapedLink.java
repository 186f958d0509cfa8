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
    private final Map<Integer, Integer> ports = new HashMap<>();
    private Process proxy;
    private PrintStream orders;
    private BufferedReader answers;

    /**
     * @param bitsPerSecond in each direction; 0 for no limit
     * @param roundTrip     milliseconds added to a round trip; if there is no limit either, there is no proxy
     */
    ShapedLink(long bitsPerSecond, int roundTrip) throws IOException {
        if (bitsPerSecond > 0 || roundTrip > 0) {
            List<String> options = List.of("-Xmx256m");
            proxy = JavaProgram.of(options, ShapingProxy.class, Long.toString(bitsPerSecond), Integer.toString(roundTrip))
                    .start();
            orders = new PrintStream(proxy.getOutputStream(), true);
            answers = proxy.inputReader();
        }
    }

    /** The port of the loopback interface on which the other end reaches a server on {@code port}. */
    int portTo(int port) throws IOException {
        if (proxy == null) {
            return port;
        }
        if (!ports.containsKey(port)) {
            orders.println(port);
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("The proxy for a shaped link did not start");
            }
            ports.put(port, Integer.valueOf(line));
        }
        return ports.get(port);
    }

    /** The proxy ends when its input does, so it also ends with this JVM. */
    @Override
    public void close() {
        if (proxy != null) {
            proxy.destroy();
        }
    }
}
