package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Link;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A link of some shape: for each port a proxy in a process of its own, so that its CPU time is nobody's else. */
final class ShapedLink implements Link, Closeable {
    private final Shape shape;
    private final List<Process> proxies = new ArrayList<>();

    ShapedLink(Shape shape) {
        this.shape = shape;
    }

    @Override
    public int portTo(int port) throws IOException {
        if (!shape.isShaped()) {
            return port;
        }
        Process proxy = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShapingProxy.class.getName(),
                        Integer.toString(port),
                        Long.toString(shape.bitsPerSecond()),
                        Integer.toString(shape.roundTrip()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        proxies.add(proxy);
        BufferedReader out = proxy.inputReader();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("The proxy for the link of " + shape.name() + " did not start");
        }
        return Integer.parseInt(line);
    }

    /** The proxies end when their input does, so they also end with this JVM. */
    @Override
    public void close() {
        proxies.forEach(Process::destroy);
    }
}
