package io.jenkins.plugins.compressionaware.directlane;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.AgentEnd;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Downloads through the endpoint, and requests that it rejects. */
class DirectFetchEndpointTest extends JenkinsTestBase {
    private static final int MAX_RANGE = 2 << 20;

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicLong counted = new AtomicLong();

    @TempDir
    private Path tmp;

    private FrameFile file;
    private byte[] bytes;
    private DirectLaneSessions.Session transfer;
    private AgentEnd agent;

    @BeforeEach
    void openTransfer() throws Exception {
        file = store("x", 4_000_000);
        bytes = Files.readAllBytes(tmp.resolve("x.tar.zst"));
        transfer = DirectLaneSessions.ALL.openDownload(file, counted::addAndGet, 3);
        agent = new AgentEnd(transfer.secret(), true);
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
        file.close();
    }

    private FrameFile store(String name, int length) throws Exception {
        Path tree = Files.createDirectory(tmp.resolve(name));
        byte[] noise = new byte[length];
        new Random(length).nextBytes(noise);
        Files.write(tree.resolve("noise"), noise);
        Path target = tmp.resolve(name + ".tar.zst");
        try (FrameFileWriter writer = new FrameFileWriter(target, tmp.resolve(name + ".partial"), 256 * 1024)) {
            FrameFileSink.store(tree, Map.of("noise", "noise"), new SendOptions(Codec.NONE, 0), writer);
            writer.commit();
        }
        return FrameFile.open(target);
    }

    private URI endpoint() throws IOException {
        return URI.create(r.getURL() + "artifact-transfer-lane/");
    }

    private HttpRequest.Builder request(AgentEnd.Made made) throws IOException {
        return HttpRequest.newBuilder(endpoint())
                .header(DirectLaneOffer.REQUEST_HEADER, made.header())
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(made.body()));
    }

    /** Returns a new request. */
    private HttpRequest.Builder fetch(long position, int length) throws IOException {
        return request(agent.fetch(position, length));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private void assertRejected(HttpRequest.Builder request) throws Exception {
        long beforeBytes = counted.get();
        HttpResponse<byte[]> answer = send(request);
        assertEquals(404, answer.statusCode());
        assertEquals(0, answer.body().length);
        assertFalse(answer.headers().firstValue(DirectLaneOffer.ANSWER_HEADER).isPresent());
        assertEquals(beforeBytes, counted.get());
    }

    private byte[] opened(HttpResponse<byte[]> answer, AgentEnd.Made made, int length) throws IOException {
        return agent.opened(
                answer.headers().firstValue(DirectLaneOffer.ANSWER_HEADER).orElseThrow(), made, answer.body(), length);
    }

    private void assertSent(int first, int length) throws Exception {
        long before = counted.get();
        AgentEnd.Made made = agent.fetch(first, length);
        HttpResponse<byte[]> answer = send(request(made));
        assertEquals(200, answer.statusCode());
        assertArrayEquals(Arrays.copyOfRange(bytes, first, first + length), opened(answer, made, length));
        assertEquals("no-store", answer.headers().firstValue("Cache-Control").orElseThrow());
        assertEquals(List.of(), answer.headers().allValues("Set-Cookie"));
        assertEquals(before + length, counted.get());
    }

    @Test
    void validRangesAreSent() throws Exception {
        assertSent(0, 1);
        assertSent(1_000, MAX_RANGE);
        assertSent((int) file.wireBytes() - 10, 10);
    }

    @Test
    void probeIsAnswered() throws Exception {
        HttpResponse<byte[]> answer = send(request(agent.post(new byte[0])));
        assertEquals(204, answer.statusCode());
        assertEquals(
                "3",
                answer.headers().firstValue(DirectLaneOffer.CONNECTIONS_HEADER).orElseThrow());
    }

    /** The last range is in the index at the end of the file, which is not for agents. */
    @Test
    void invalidRangesAreRejected() throws Exception {
        assertRejected(fetch(9, 0));
        assertRejected(fetch(9, -1));
        assertRejected(fetch(-1, 5));
        assertRejected(fetch(Long.MIN_VALUE, 5));
        assertRejected(fetch(Long.MAX_VALUE, 5));
        assertRejected(fetch(0, MAX_RANGE + 1));
        assertRejected(fetch(0, Integer.MAX_VALUE));
        assertRejected(fetch(file.wireBytes(), 1));
        assertRejected(fetch(file.wireBytes() - 1, 2));
        assertRejected(fetch(bytes.length - 1, 1));
    }

    @Test
    void bodiesOfWrongLengthAreRejected() throws Exception {
        assertRejected(request(agent.post(new byte[15])));
        assertRejected(request(agent.post(new byte[17])));
        assertRejected(request(agent.post(new byte[1000])));
    }

    @Test
    void otherMethodsAndParametersAreRejected() throws Exception {
        for (String method : List.of("GET", "PUT", "DELETE", "OPTIONS", "HEAD")) {
            assertRejected(fetch(0, 10).method(method, HttpRequest.BodyPublishers.noBody()));
        }
        assertRejected(fetch(0, 10).uri(URI.create(endpoint() + "?a=b")));
        assertRejected(fetch(0, 10).setHeader("Content-Type", "text/plain"));
    }

    @Test
    void invalidTagsAreRejected() throws Exception {
        AgentEnd.Made made = agent.fetch(0, 10);
        assertRejected(fetch(0, 10).setHeader(DirectLaneOffer.REQUEST_HEADER, ""));
        assertRejected(fetch(0, 10).setHeader(DirectLaneOffer.REQUEST_HEADER, made.header() + "A"));
        made.body()[3] ^= 1;
        assertRejected(request(made));
        assertRejected(request(new AgentEnd.Made(
                0, agent.fetch(0, 9).header(), agent.fetch(0, 10).body())));
        assertRejected(HttpRequest.newBuilder(endpoint())
                .header("Authorization", "Bearer " + transfer.secret())
                .POST(HttpRequest.BodyPublishers.ofByteArray(agent.fetch(0, 10).body())));
    }

    /** An observer on the network can repeat a request. */
    @Test
    void repeatedRequestIsRejected() throws Exception {
        AgentEnd.Made made = agent.fetch(0, 10);
        assertEquals(200, send(request(made)).statusCode());
        assertRejected(request(made));
    }

    /** A secret gives access only to the stash that it was made for. */
    @Test
    void secretOfOtherStashIsRejected() throws Exception {
        try (FrameFile other = store("y", 1_000);
                DirectLaneSessions.Session others = DirectLaneSessions.ALL.openDownload(other, taken -> {}, 3)) {
            AgentEnd itsAgent = new AgentEnd(others.secret(), false);
            assertArrayEquals(
                    Arrays.copyOf(Files.readAllBytes(tmp.resolve("y.tar.zst")), 900),
                    send(request(itsAgent.fetch(0, 900))).body());
            assertRejected(request(itsAgent.fetch(100_000, 10)));
            assertSent(100_000, 10);
        }
    }

    @Test
    void secretOfUploadIsRejected() throws Exception {
        try (Receiver receiver = new Receiver(
                        tmp.resolve("archive"), null, Set.of("file"), EntryDecoder.NONE, 256 * 1024, Runnable::run);
                DirectLaneSessions.Session upload =
                        DirectLaneSessions.ALL.openUpload(receiver.newDirectReceiver(), taken -> {}, 3)) {
            assertRejected(request(new AgentEnd(upload.secret(), true).fetch(0, 10)));
        }
    }

    @Test
    void requestAfterEndOfTransferIsRejected() throws Exception {
        transfer.close();
        assertRejected(fetch(0, 10));
    }

    /** Sends more requests than sockets can buffer, so that threads of the web server block until the transfer ends. */
    @Test
    void unreadResponsesEndWithTransfer() throws Exception {
        int before = DirectLaneSessions.ALL.inUse();
        URI address = endpoint();
        int requests = 32;
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
            for (int i = 0; i < requests; i++) {
                AgentEnd.Made made = agent.fetch(0, MAX_RANGE);
                String head = "POST " + address.getPath() + " HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\n"
                        + DirectLaneOffer.REQUEST_HEADER + ": " + made.header() + "\r\nContent-Length: "
                        + made.body().length + "\r\nContent-Type: application/octet-stream\r\n\r\n";
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(made.body());
            }
            long sent;
            do {
                sent = counted.get();
                TimeUnit.MILLISECONDS.sleep(300);
            } while (sent == 0 || sent < counted.get());
            transfer.close();
            await().until(() -> DirectLaneSessions.ALL.inUse() <= before);
            assertTrue(counted.get() < (long) requests * MAX_RANGE, "no response waited to be read");
        }
    }

    @Test
    void requestsBeyondConnectionsAreRejected() throws Exception {
        for (int i = 0; i < transfer.connections(); i++) {
            assertTrue(transfer.begin());
        }
        assertRejected(fetch(0, 10));
        transfer.end();
        assertSent(0, 10);
        for (int i = 1; i < transfer.connections(); i++) {
            transfer.end();
        }
    }
}
