package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** Where agents of a controller run and what lies between. One at a time: the controller tells all agents the address that holds here. */
final class Place implements Closeable {
    final RealJenkins jenkins;
    final Condition condition;
    final ShapedLink link;
    /** Port of the controller's web server, as agents see it. */
    final int http;

    Place(RealJenkins jenkins, Condition condition) throws IOException {
        this.jenkins = jenkins;
        this.condition = condition;
        link = new ShapedLink(condition.bitsPerSecond, condition.roundTrip);
        http = link.portTo(jenkins.httpPort());
        jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(http)));
    }

    @Override
    public void close() throws IOException {
        jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(jenkins.httpPort())));
        link.close();
    }
}
