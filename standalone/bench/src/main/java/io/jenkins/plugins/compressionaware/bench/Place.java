package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Where agents of a controller run and what lies between. One at a time: the controller tells all agents the address that holds here. */
final class Place implements Closeable {
    private final RealJenkins jenkins;
    private final ShapedLink link;
    private final int http;
    private final List<String> jvmOptions;

    Place(RealJenkins jenkins, Shape shape, List<String> jvmOptions) throws IOException {
        this.jenkins = jenkins;
        this.jvmOptions = jvmOptions;
        link = new ShapedLink(shape);
        http = link.portTo(jenkins.httpPort());
        jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(http)));
    }

    RealJenkins jenkins() {
        return jenkins;
    }

    /** Port of the controller's web server, as agents see it. */
    int http() {
        return http;
    }

    ShapedLink link() {
        return link;
    }

    List<String> jvmOptions() {
        return jvmOptions;
    }

    @Override
    public void close() throws IOException {
        jenkins.ask("rootUrl", Map.of("url", RealJenkins.url(jenkins.httpPort())));
        link.close();
    }
}
