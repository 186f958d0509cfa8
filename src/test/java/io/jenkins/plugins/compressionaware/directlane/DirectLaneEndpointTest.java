package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.TaggedRequests;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Uploads through the endpoint, and requests that it rejects. */
class DirectLaneEndpointTest extends EndpointTestBase {
    private Receiver receiver;
    private DirectLaneSessions.Session transfer;
    private TaggedRequests agent;

    @BeforeEach
    void openTransfer() throws Exception {
        receiver = receiver();
        transfer = DirectLaneSessions.ALL.openUpload(
                receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS);
        agent = new TaggedRequests(transfer.secret());
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
        receiver.close();
    }

    /** Returns a new valid request. */
    private HttpRequest.Builder valid() throws IOException {
        return request(agent.post(new byte[0]));
    }

    @Test
    void probeIsAnsweredWithoutHttpSession() throws Exception {
        TaggedRequests.Made probe = agent.post(new byte[0]);
        HttpResponse<byte[]> answer = send(request(probe));
        assertEquals(204, answer.statusCode());
        assertTrue(agent.isReceipt(header(answer, DirectLaneOffer.ANSWER_HEADER), probe, 0, 3));
        assertEquals("3", header(answer, DirectLaneOffer.CONNECTIONS_HEADER));
        assertEquals(List.of(), answer.headers().allValues("Set-Cookie"));
    }

    @Test
    void transfersHaveDifferentKeys() {
        assertEquals(80, java.util.Base64.getUrlDecoder().decode(transfer.secret()).length);
        DirectLaneSessions.Session other = DirectLaneSessions.ALL.openUpload(
                receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS);
        try {
            assertFalse(other.secret().equals(transfer.secret()));
            assertEquals(other, DirectLaneSessions.ALL.find(other.keys().id()));
            assertEquals(transfer, DirectLaneSessions.ALL.find(transfer.keys().id()));
        } finally {
            other.close();
        }
    }

    @Test
    void invalidTagsAreRejected() throws Exception {
        String made = agent.post(new byte[0]).header();
        assertRejected(valid().setHeader(DirectLaneOffer.REQUEST_HEADER, ""));
        assertRejected(valid().setHeader(
                        DirectLaneOffer.REQUEST_HEADER, transfer.keys().id()));
        assertRejected(valid().setHeader(DirectLaneOffer.REQUEST_HEADER, made + "A"));
        assertRejected(valid().setHeader(DirectLaneOffer.REQUEST_HEADER, made.substring(0, made.length() - 1)));
        assertRejected(HttpRequest.newBuilder(endpoint())
                .header("Content-Type", "application/octet-stream")
                .header("Authorization", "Bearer " + transfer.secret())
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void openBodyIsRejected() throws Exception {
        TaggedRequests.Made made = agent.post(frames());
        assertRejected(request(new TaggedRequests.Made(made.number(), made.header(), frames())));
    }

    /** An observer on the network can repeat a request. */
    @Test
    void repeatedRequestIsRejected() throws Exception {
        TaggedRequests.Made made = agent.post(frames());
        assertEquals(204, send(request(made)).statusCode());
        assertRejected(request(made));
    }

    @Test
    void modifiedSealedBodyDoesNotAffectTransfer() throws Exception {
        TaggedRequests.Made made = agent.post(frames());
        made.body()[30] ^= 1;
        assertRejected(request(made));
        assertEquals(204, send(request(agent.post(frames()))).statusCode());
    }

    @Test
    void requestAfterEndOfTransferIsRejected() throws Exception {
        transfer.close();
        assertRejected(valid());
    }

    @Test
    void otherMethodsParametersAndTypesAreRejected() throws Exception {
        for (String method : List.of("GET", "PUT", "DELETE", "OPTIONS", "HEAD")) {
            assertRejected(valid().method(method, HttpRequest.BodyPublishers.noBody()));
        }
        assertRejected(valid().uri(URI.create(endpoint() + "?a=b")));
        assertRejected(valid().setHeader("Content-Type", "text/plain"));
        assertRejected(valid().setHeader("Content-Type", "application/x-www-form-urlencoded"));
    }

    @Test
    void pathsBelowAreNotServed() throws Exception {
        for (String path : List.of("index", "api/json", "refused", "urlName", "class", "x/y")) {
            int status = send(valid().uri(URI.create(endpoint() + path))).statusCode();
            // paths below require a crumb
            assertTrue(status == 403 || status == 404, path + ": " + status);
        }
    }

    @Test
    void tooLongBodyIsNotRead() throws Exception {
        int allowed = receiver.inbox().newDirectReceiver().maxLength();
        assertTrue(allowed < 1 << 20, "nginx' default limit");
        TaggedRequests.Made made = agent.post(new byte[allowed + 1]);
        assertTrue(raw(made, "Content-Length: " + made.body().length).startsWith("HTTP/1.1 404"));
        assertTrue(raw(made, "Content-Length: " + (1L << 40)).startsWith("HTTP/1.1 404"));
    }

    @Test
    void bodyOfUnknownLengthIsRejected() throws Exception {
        assertTrue(raw(agent.post(new byte[0]), "Transfer-Encoding: chunked").startsWith("HTTP/1.1 404"));
    }

    /** Sends only the head of a request. */
    private String raw(TaggedRequests.Made made, String header) throws Exception {
        try (Socket socket = new Socket("localhost", r.getURL().getPort())) {
            socket.setSoTimeout(20_000);
            String head = "POST " + endpoint().getPath() + " HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/octet-stream\r\n" + DirectLaneOffer.REQUEST_HEADER + ": "
                    + made.header() + "\r\n" + header + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            byte[] answer = new byte[12];
            socket.getInputStream().readNBytes(answer, 0, answer.length);
            return new String(answer, StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void bodyWithoutFramesIsRejected() throws Exception {
        assertRejected(request(agent.post(new byte[1000])));
    }

    private void assertBusy() throws Exception {
        TaggedRequests.Made made = agent.post(frames());
        HttpResponse<byte[]> answer = send(request(made));
        assertEquals(429, answer.statusCode());
        assertTrue(agent.isBusy(header(answer, DirectLaneOffer.ANSWER_HEADER), made));
    }

    @Test
    void requestsBeyondConnectionsMustBeRepeated() throws Exception {
        for (int i = 0; i < transfer.connections(); i++) {
            assertTrue(transfer.begin());
        }
        assertBusy();
        transfer.end();
        assertEquals(204, send(request(agent.post(frames()))).statusCode());
        for (int i = 1; i < transfer.connections(); i++) {
            transfer.end();
        }
    }

    @Test
    void probeReportsThatNoConnectionIsFree() throws Exception {
        List<DirectLaneSessions.Session> others = new ArrayList<>();
        try {
            for (int connections = 1; connections > 0; ) {
                DirectLaneSessions.Session other = DirectLaneSessions.ALL.openUpload(
                        receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS);
                others.add(other);
                connections = other.connections();
            }
            HttpResponse<byte[]> answer = send(valid());
            assertEquals(204, answer.statusCode());
            assertEquals("0", header(answer, DirectLaneOffer.CONNECTIONS_HEADER));
            assertBusy();
        } finally {
            others.forEach(DirectLaneSessions.Session::close);
        }
    }

    private byte[] frames() throws Exception {
        Files.writeString(tmp.resolve("file"), "content");
        return CapturedTransfer.stream(tmp, Map.of("file", "file"), new SendOptions(Codec.NONE, 0));
    }
}
