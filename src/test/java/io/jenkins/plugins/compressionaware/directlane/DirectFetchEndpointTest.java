package io.jenkins.plugins.compressionaware.directlane;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TaggedRequests;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Downloads through the endpoint, and requests that it rejects as downloads. */
class DirectFetchEndpointTest extends EndpointTestBase {
    private static final int MAX_RANGE = 2 << 20;

    private final AtomicLong counted = new AtomicLong();
    private final AtomicInteger complete = new AtomicInteger();

    private FrameFile file;
    private byte[] bytes;
    private DirectLaneSessions.Session transfer;
    private TaggedRequests agent;

    @BeforeEach
    void openTransfer() throws Exception {
        file = store("x", 4_000_000);
        bytes = Files.readAllBytes(tmp.resolve("x.tar.zst"));
        transfer = DirectLaneSessions.ALL.openDownload(file, counted::addAndGet, complete::set, EndpointServer.TERMS);
        agent = new TaggedRequests(transfer.secret());
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
        file.close();
    }

    private FrameFile store(String name, int length) throws Exception {
        Path tree = Files.createDirectory(tmp.resolve(name));
        FileTrees.noise(tree.resolve("noise"), length);
        return FrameFile.open(CapturedTransfer.store(
                tree, Map.of("noise", "noise"), new SendOptions(Codec.NONE, 0), tmp.resolve(name + ".tar.zst")));
    }

    /** Returns a new request. */
    private HttpRequest.Builder fetch(long position, int length) throws IOException {
        return request(agent.fetch(position, length));
    }

    @Override
    void assertRejected(HttpRequest.Builder request) throws Exception {
        long before = counted.get();
        super.assertRejected(request);
        assertEquals(before, counted.get());
        assertEquals(0, complete.get());
    }

    private void assertSent(int first, int length) throws Exception {
        long before = counted.get();
        TaggedRequests.Made made = agent.fetch(first, length);
        HttpResponse<byte[]> answer = send(request(made));
        assertEquals(200, answer.statusCode());
        assertArrayEquals(
                Arrays.copyOfRange(bytes, first, first + length),
                agent.opened(header(answer, DirectLaneOffer.ANSWER_HEADER), made, answer.body(), length));
        assertEquals("no-store", header(answer, "Cache-Control"));
        assertEquals(List.of(), answer.headers().allValues("Set-Cookie"));
        assertEquals(before + length, counted.get());
        assertEquals(TaggedRequests.COMPLETE, complete.getAndSet(0));
    }

    @Test
    void validRangesAreSent() throws Exception {
        assertSent(0, 1);
        assertSent(1_000, MAX_RANGE);
        assertSent((int) file.wireBytes() - 10, 10);
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
        assertRejected(request(agent.post(new byte[RangeRequest.BYTES - 1])));
        assertRejected(request(agent.post(new byte[RangeRequest.BYTES + 1])));
        assertRejected(request(agent.post(new byte[1000])));
    }

    @Test
    void modifiedOrSwappedBodiesAreRejected() throws Exception {
        TaggedRequests.Made made = agent.fetch(0, 10);
        made.body()[3] ^= 1;
        assertRejected(request(made));
        assertRejected(request(new TaggedRequests.Made(
                0, agent.fetch(0, 9).header(), agent.fetch(0, 10).body())));
    }

    /** A secret gives access only to the stash that it was made for. */
    @Test
    void secretOfOtherStashIsRejected() throws Exception {
        try (FrameFile other = store("y", 1_000);
                DirectLaneSessions.Session others =
                        DirectLaneSessions.ALL.openDownload(other, taken -> {}, entries -> {}, EndpointServer.TERMS)) {
            TaggedRequests itsAgent = new TaggedRequests(others.secret());
            TaggedRequests.Made own = itsAgent.fetch(0, 900);
            HttpResponse<byte[]> answer = send(request(own));
            assertArrayEquals(
                    Arrays.copyOf(Files.readAllBytes(tmp.resolve("y.tar.zst")), 900),
                    itsAgent.opened(header(answer, DirectLaneOffer.ANSWER_HEADER), own, answer.body(), 900));
            assertRejected(request(itsAgent.fetch(100_000, 10)));
            assertSent(100_000, 10);
        }
    }

    @Test
    void secretOfUploadIsRejected() throws Exception {
        try (Receiver receiver = receiver();
                DirectLaneSessions.Session upload = DirectLaneSessions.ALL.openUpload(
                        receiver.inbox().newDirectReceiver(), taken -> {}, EndpointServer.TERMS)) {
            assertRejected(request(new TaggedRequests(upload.secret()).fetch(0, 10)));
        }
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
                TaggedRequests.Made made = agent.fetch(0, MAX_RANGE);
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
}
