package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import java.io.Closeable;
import java.io.IOException;

/** Where agents of a controller run and what lies between. One at a time: the controller tells all agents the address that holds here. */
final class NetworkSetup implements Closeable {
    final RealJenkins jenkins;
    final Condition condition;
    /** Port of the controller's web server, as agents see it. */
    final int http;

    /** In this process, whose CPU time nobody measures. */
    private final ShapingProxy link;

    NetworkSetup(RealJenkins jenkins, Condition condition) throws IOException {
        this.jenkins = jenkins;
        this.condition = condition;
        link = new ShapingProxy(condition.bitsPerSecond, condition.roundTrip);
        http = portTo(jenkins.httpPort());
        jenkins.address(http, portTo(jenkins.httpsPort()));
    }

    /** The port of the loopback interface on which the other end reaches a server on {@code port}. */
    int portTo(int port) throws IOException {
        return condition.isShaped() ? link.portTo(port) : port;
    }

    @Override
    public void close() throws IOException {
        jenkins.address(jenkins.httpPort(), jenkins.httpsPort());
        link.close();
    }
}
