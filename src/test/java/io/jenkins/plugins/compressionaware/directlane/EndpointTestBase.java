package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.TaggedRequests;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** Sends requests to the endpoint of a real Jenkins. */
abstract class EndpointTestBase extends JenkinsTestBase {
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path tmp;

    final Receiver receiver() throws IOException, InterruptedException {
        return new Receiver(tmp.resolve("archive"), null, Set.of("file"), EntryDecoder.NONE, 256 * 1024, Runnable::run);
    }

    final URI endpoint() throws IOException {
        return URI.create(r.getURL() + "artifact-transfer-lane/");
    }

    final HttpRequest.Builder request(TaggedRequests.Made made) throws IOException {
        return HttpRequest.newBuilder(endpoint())
                .header("Content-Type", "application/octet-stream")
                .header(DirectLaneOffer.REQUEST_HEADER, made.header())
                .POST(HttpRequest.BodyPublishers.ofByteArray(made.body()));
    }

    final HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElseThrow();
    }

    /** Asserts the bare 404 of a missing page. */
    void assertRejected(HttpRequest.Builder request) throws Exception {
        HttpResponse<byte[]> answer = send(request);
        assertEquals(404, answer.statusCode());
        assertEquals(0, answer.body().length);
        assertFalse(answer.headers().firstValue(DirectLaneOffer.ANSWER_HEADER).isPresent());
    }
}
