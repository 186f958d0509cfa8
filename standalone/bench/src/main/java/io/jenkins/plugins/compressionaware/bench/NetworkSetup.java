package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * The network between a controller and its agents. Only one may be open, because the controller has one address for all
 * agents.
 */
final class NetworkSetup implements Closeable {
    final RealJenkins jenkins;
    final Condition condition;
    /** Additional options of the agents' JVMs. */
    final List<String> jvmOptions;

    /** Port at which agents reach the controller's web server. */
    final int http;

    /** Runs in this process, whose CPU time is not measured. */
    private final ShapingProxy link;

    NetworkSetup(RealJenkins jenkins, Condition condition, List<String> jvmOptions) throws IOException {
        this.jenkins = jenkins;
        this.jvmOptions = jvmOptions;
        this.condition = condition;
        link = new ShapingProxy(condition.bitsPerSecond, condition.roundTrip);
        http = portTo(jenkins.httpPort());
        jenkins.address(http, portTo(jenkins.httpsPort()));
    }

    /** Returns the port on the loopback interface that leads to a server on {@code port}. */
    int portTo(int port) throws IOException {
        return condition.isShaped() ? link.portTo(port) : port;
    }

    @Override
    public void close() throws IOException {
        jenkins.address(jenkins.httpPort(), jenkins.httpsPort());
        link.close();
    }
}
