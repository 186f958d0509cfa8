package io.jenkins.plugins.compressionaware.direct;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.StoredFileSink;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testkit.AgentEnd;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
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

/** What the end point gives of a stash, and what it refuses. */
class DirectFetchEndpointTest extends OnJenkins {
    private static final int MOST = 2 << 20;

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicLong counted = new AtomicLong();

    @TempDir
    private Path tmp;

    private StoredFrames file;
    private byte[] bytes;
    private Admissions.Admission transfer;
    private AgentEnd agent;

    @BeforeEach
    void openATransfer() throws Exception {
        file = store("x", 4_000_000);
        bytes = Files.readAllBytes(tmp.resolve("x.tar.zst"));
        transfer = Admissions.ALL.openFor(file, counted::addAndGet, 3);
        agent = new AgentEnd(transfer.secret(), true);
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
        file.close();
    }

    private StoredFrames store(String name, int length) throws Exception {
        Path tree = Files.createDirectory(tmp.resolve(name));
        byte[] noise = new byte[length];
        new Random(length).nextBytes(noise);
        Files.write(tree.resolve("noise"), noise);
        Path target = tmp.resolve(name + ".tar.zst");
        try (StoredWriter writer = new StoredWriter(target, tmp.resolve(name + ".partial"), 256 * 1024)) {
            StoredFileSink.store(tree, Map.of("noise", "noise"), new SendOptions(Codec.NONE, 0), writer);
            writer.commit();
        }
        return StoredFrames.open(target);
    }

    private URI endpoint() throws IOException {
        return URI.create(r.getURL() + "artifact-transfer-lane/");
    }

    private HttpRequest.Builder get(AgentEnd.Made made, String range) throws IOException {
        return HttpRequest.newBuilder(endpoint())
                .header(DirectOffer.REQUEST_HEADER, made.header())
                .header("Range", range);
    }

    private HttpRequest.Builder get(String range) throws IOException {
        return get(agent.get(range), range);
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private void assertRefused(HttpRequest.Builder request) throws Exception {
        long before = Admissions.ALL.refusals();
        long beforeBytes = counted.get();
        HttpResponse<byte[]> answer = send(request);
        assertEquals(404, answer.statusCode());
        assertEquals(0, answer.body().length);
        assertFalse(answer.headers().firstValue(DirectOffer.ANSWER_HEADER).isPresent());
        assertFalse(answer.headers().firstValue("Content-Range").isPresent());
        assertEquals(before + 1, Admissions.ALL.refusals());
        assertEquals(beforeBytes, counted.get());
    }

    private byte[] opened(HttpResponse<byte[]> answer, AgentEnd.Made made, int length) throws IOException {
        return agent.opened(
                answer.headers().firstValue(DirectOffer.ANSWER_HEADER).orElseThrow(),
                made,
                answer.headers().firstValue("Content-Range").orElseThrow(),
                answer.body(),
                length);
    }

    private void assertGiven(int first, int last) throws Exception {
        long before = counted.get();
        String range = "bytes=" + first + '-' + last;
        AgentEnd.Made made = agent.get(range);
        HttpResponse<byte[]> answer = send(get(made, range));
        assertEquals(206, answer.statusCode());
        assertArrayEquals(Arrays.copyOfRange(bytes, first, last + 1), opened(answer, made, last - first + 1));
        assertEquals(
                "bytes " + first + '-' + last + '/' + file.wireBytes(),
                answer.headers().firstValue("Content-Range").orElseThrow());
        assertEquals("no-store", answer.headers().firstValue("Cache-Control").orElseThrow());
        assertEquals(List.of(), answer.headers().allValues("Set-Cookie"));
        assertEquals(before + last - first + 1, counted.get());
    }

    @Test
    void rangesOfTheFrames() throws Exception {
        assertGiven(0, 0);
        assertGiven(1_000, MOST + 999);
        int last = (int) file.wireBytes() - 1;
        assertGiven(last - 10, last);
    }

    @Test
    void aProbe() throws Exception {
        HttpResponse<byte[]> answer = send(HttpRequest.newBuilder(endpoint())
                .header(DirectOffer.REQUEST_HEADER, agent.get(null).header()));
        assertEquals(204, answer.statusCode());
        assertEquals(
                "3", answer.headers().firstValue(DirectOffer.CONNECTIONS_HEADER).orElseThrow());
    }

    /** The last of them: the index at the file's end is not for agents. */
    @Test
    void rangesThatAreNone() throws Exception {
        for (String range : List.of(
                "",
                "bytes",
                "bytes=",
                "bytes=5",
                "bytes=5-",
                "bytes=-5",
                "bytes=0-1,3-4",
                "bytes=0-1, 3-4",
                "bytes=9-8",
                "bytes=-1-5",
                "bytes=0x1-5",
                "bytes=0-" + MOST,
                "bytes=0-999999999999999999",
                "bytes=0-9999999999999999999",
                "bytes=18446744073709551616-18446744073709551617",
                "bits=0-1",
                "Bytes=0-1",
                "bytes=" + file.wireBytes() + '-' + file.wireBytes(),
                "bytes=" + (file.wireBytes() - 1) + '-' + file.wireBytes(),
                "bytes=" + (bytes.length - 1) + '-' + (bytes.length - 1))) {
            assertRefused(get(range));
        }
    }

    @Test
    void otherMethodsAndParameters() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "HEAD")) {
            assertRefused(get("bytes=0-9").method(method, HttpRequest.BodyPublishers.noBody()));
        }
        assertRefused(get("bytes=0-9")
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(bytes, 0, 1000)));
        assertRefused(get("bytes=0-9").uri(URI.create(endpoint() + "?a=b")));
    }

    @Test
    void otherTags() throws Exception {
        String header = agent.get("bytes=0-9").header();
        assertRefused(get(new AgentEnd.Made(0, "", null), "bytes=0-9"));
        assertRefused(get(new AgentEnd.Made(0, header + "A", null), "bytes=0-9"));
        assertRefused(get(agent.get("bytes=0-8"), "bytes=0-9"));
        assertRefused(get(agent.get(null), "bytes=0-9"));
        assertRefused(HttpRequest.newBuilder(endpoint())
                .header("Authorization", "Bearer " + transfer.secret())
                .header("Range", "bytes=0-9"));
    }

    /** As somebody on the way can send it who has seen it. */
    @Test
    void aRequestThatComesAgain() throws Exception {
        AgentEnd.Made made = agent.get("bytes=0-9");
        assertEquals(206, send(get(made, "bytes=0-9")).statusCode());
        assertRefused(get(made, "bytes=0-9"));
    }

    /** A secret leads to the one stash that it was made for. */
    @Test
    void theSecretOfAnotherStash() throws Exception {
        try (StoredFrames other = store("y", 1_000);
                Admissions.Admission others = Admissions.ALL.openFor(other, taken -> {}, 3)) {
            AgentEnd itsAgent = new AgentEnd(others.secret(), false);
            assertArrayEquals(
                    Arrays.copyOf(Files.readAllBytes(tmp.resolve("y.tar.zst")), 900),
                    send(get(itsAgent.get("bytes=0-899"), "bytes=0-899")).body());
            assertRefused(get(itsAgent.get("bytes=100000-100009"), "bytes=100000-100009"));
            assertGiven(100_000, 100_009);
        }
    }

    @Test
    void theSecretOfAnUpload() throws Exception {
        try (Receiver receiver = new Receiver(tmp.resolve("archive"), null, Set.of("file"), EntryDecoder.NONE, 256 * 1024, Runnable::run);
                Admissions.Admission upload = Admissions.ALL.open(receiver.direct(), taken -> {}, 3)) {
            assertRefused(get(new AgentEnd(upload.secret(), true).get("bytes=0-9"), "bytes=0-9"));
        }
    }

    @Test
    void afterTheEndOfTheTransfer() throws Exception {
        transfer.close();
        assertRefused(get("bytes=0-9"));
    }

    /** It holds a thread of the web server until then. As much is asked for as no socket takes unread. */
    @Test
    void anAgentThatDoesNotReadItsAnswers() throws Exception {
        int before = Admissions.ALL.inUse();
        URI address = endpoint();
        int requests = 32;
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
            String range = "bytes=0-" + (MOST - 1);
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < requests; i++) {
                all.append("GET " + address.getPath() + " HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\n"
                        + DirectOffer.REQUEST_HEADER + ": " + agent.get(range).header() + "\r\nRange: " + range
                        + "\r\n\r\n");
            }
            socket.getOutputStream().write(all.toString().getBytes(StandardCharsets.US_ASCII));
            long given;
            do {
                given = counted.get();
                TimeUnit.MILLISECONDS.sleep(300);
            } while (given == 0 || given < counted.get());
            transfer.close();
            await().until(() -> Admissions.ALL.inUse() <= before);
            assertTrue(counted.get() < (long) requests * MOST, "nothing waited to be read");
        }
    }

    @Test
    void moreRequestsThanConnections() throws Exception {
        for (int i = 0; i < transfer.connections(); i++) {
            assertTrue(transfer.begin());
        }
        assertRefused(get("bytes=0-9"));
        transfer.end();
        assertGiven(0, 9);
        for (int i = 1; i < transfer.connections(); i++) {
            transfer.end();
        }
    }
}
