package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.StaplerResponse2;

/** A mutated request uploads whole frames, downloads a valid range, or gets the response of a missing page. */
class RequestsFuzzTest extends Fuzz {
    private static final int BLOCK = 1024;

    // bits of the first byte: how the request differs from a valid one
    private static final int DOWNLOADS = 1;
    private static final int NO_TAG = 2;
    private static final int OTHER_METHOD = 4;
    private static final int OTHER_TYPE = 8;
    private static final int QUERY = 16;
    private static final int OTHER_LENGTH = 32;
    private static final int PROBE = 64;
    private static final DirectLaneSessions.Terms TERMS = new DirectLaneSessions.Terms("agent", 1);

    private final DirectLaneEndpoint endpoint = new DirectLaneEndpoint();
    private byte[] frames;
    private FrameFile file;
    private byte[] stored;

    @Override
    protected void prepare() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.writeString(workspace.resolve("a"), "line\n".repeat(400));
        Map<String, String> names = Map.of("a", "a");
        SendOptions options = new SendOptions(Codec.GZIP, 1, BLOCK, 1);
        frames = CapturedTransfer.stream(workspace, names, options);
        Path stash = CapturedTransfer.store(workspace, names, options, tmp.resolve("stash"));
        file = FrameFile.open(stash);
        stored = Files.readAllBytes(stash);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    /** Returns requests, each as a byte of flags, a length in four bytes, and a body. */
    @Override
    protected List<byte[]> seeds() {
        return List.of(
                seed(0, 0, frames),
                seed(OTHER_LENGTH, frames.length + 1, frames),
                seed(NO_TAG | QUERY, 0, frames),
                seed(PROBE, 0, new byte[4]),
                seed(DOWNLOADS | PROBE, 0, new byte[4]),
                seed(DOWNLOADS, 0, new RangeRequest(0, 0, 100, 0).toBytes()),
                seed(DOWNLOADS, 0, new RangeRequest(7, 17, 1 << 20, 3).toBytes()),
                seed(DOWNLOADS | OTHER_METHOD | OTHER_TYPE, 0, new RangeRequest(0, 1, 3, 0).toBytes()));
    }

    private static byte[] seed(int flags, int length, byte[] content) {
        return ByteBuffer.allocate(5 + content.length)
                .put((byte) flags)
                .putInt(length)
                .put(content)
                .array();
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 5) {
            return;
        }
        int flags = input[0];
        boolean downloads = (flags & DOWNLOADS) != 0;
        byte[] content = Arrays.copyOfRange(input, 5, input.length);
        try (Receiver receiver =
                new Receiver(tmp.resolve("archive"), null, Set.of("a"), EntryDecoder.NONE, BLOCK, Runnable::run)) {
            DirectLaneSessions.Session transfer = downloads
                    ? DirectLaneSessions.ALL.openDownload(file, taken -> {}, entries -> {}, TERMS)
                    : DirectLaneSessions.ALL.openUpload(receiver.inbox().newDirectReceiver(), taken -> {}, TERMS);
            try {
                Exchange exchange =
                        new Exchange(flags, ByteBuffer.wrap(input, 1, 4).getInt(), content, transfer);
                endpoint.doIndex(exchange.request(), exchange.response());
                exchange.check(flags, content, stored, new LaneKeys(transfer.secret()));
                assertTrue(transfer.begin(), "its connection is free again");
                transfer.end();
            } finally {
                transfer.close();
            }
        }
        assertEquals(0, DirectLaneSessions.ALL.inUse());
        assertFalse(Files.exists(tmp.resolve("archive")));
    }

    private static final class Exchange {
        private final Map<String, Object> request = new HashMap<>();
        private final Map<String, String> headers = new HashMap<>();
        private final Map<String, String> answered = new HashMap<>();
        private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
        private int length;
        private int status;
        private int bytesSent;
        private InputStream unread;

        Exchange(int flags, int otherLength, byte[] content, DirectLaneSessions.Session transfer) {
            boolean probe = (flags & PROBE) != 0;
            LaneKeys agent = new LaneKeys(transfer.secret());
            byte[] body = probe ? new byte[0] : content;
            String text = new String(content, StandardCharsets.ISO_8859_1);
            length = (flags & OTHER_LENGTH) != 0 ? otherLength : Seal.sealedLength(body.length);
            String head = LaneKeys.requestHead(length);
            headers.put(DirectLaneOffer.REQUEST_HEADER, (flags & NO_TAG) != 0 ? text : agent.request(1, head));
            request.put("getMethod", (flags & OTHER_METHOD) == 0 ? "POST" : "X" + text);
            request.put("getContentType", (flags & OTHER_TYPE) == 0 ? "application/octet-stream" : "x" + text);
            request.put("getQueryString", (flags & QUERY) == 0 ? null : text);
            request.put("getContentLength", length);
            request.put("getInputStream", ServletStubs.body(delivered(sealed(agent, head, body))));
        }

        private static byte[] sealed(LaneKeys agent, String head, byte[] body) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                Seal.Sealing sealing = agent.requests().sealing(1, head, out);
                sealing.write(body);
                sealing.finish();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return out.toByteArray();
        }

        /** Returns the body as the web server delivers it: at most the announced length, or less if the connection breaks. */
        private InputStream delivered(byte[] bytes) {
            bytesSent = Math.max(0, Math.min(bytes.length, length));
            unread = new ByteArrayInputStream(bytes, 0, bytesSent);
            return unread;
        }

        private int bytesRead() throws IOException {
            return bytesSent - unread.available();
        }

        StaplerRequest2 request() {
            return ServletStubs.proxy(StaplerRequest2.class, (proxy, method, arguments) -> {
                if (method.getName().equals("getHeader")) {
                    return headers.get(arguments[0]);
                }
                assertTrue(request.containsKey(method.getName()), method.getName());
                return request.get(method.getName());
            });
        }

        StaplerResponse2 response() {
            return ServletStubs.proxy(StaplerResponse2.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "setStatus" -> status = (int) arguments[0];
                case "setHeader" -> answered.put((String) arguments[0], (String) arguments[1]);
                case "setContentType", "setContentLength" ->
                    answered.put(method.getName(), String.valueOf(arguments[0]));
                case "getOutputStream" -> ServletStubs.answer(answer);
                default -> throw new AssertionError(method);
            });
        }

        void check(int flags, byte[] content, byte[] file, LaneKeys agent) throws IOException {
            boolean valid = (flags & (NO_TAG | OTHER_METHOD | QUERY)) == 0;
            if (status == HttpServletResponse.SC_NOT_FOUND) {
                assertEquals(Map.of(), answered);
                assertEquals(0, answer.size());
                boolean known = valid && (flags & OTHER_TYPE) == 0 && length >= 0 && length < 1 << 20;
                assertTrue(bytesRead() == 0 || known, "the body of a rejected request is not read");
                return;
            }
            assertTrue(valid, "status " + status);
            assertEquals("no-store", answered.get("Cache-Control"), "a response must not be cached");
            if (status == HttpServletResponse.SC_OK) {
                RangeRequest range = RangeRequest.read(new DataInputStream(new ByteArrayInputStream(content)));
                int first = Math.toIntExact(range.position());
                byte[] wanted = Arrays.copyOfRange(file, first, first + range.length());
                assertEquals(String.valueOf(answer.size()), answered.get("setContentLength"));
                String head = LaneKeys.answerHead(1, status, wanted.length, 0);
                long number = agent.verified(answered.get(DirectLaneOffer.ANSWER_HEADER), head);
                assertEquals(1, number);
                InputStream in = new ByteArrayInputStream(answer.toByteArray());
                assertArrayEquals(
                        wanted,
                        agent.answers().opening(number, head, in, wanted.length).readAllBytes());
            } else {
                assertEquals(DirectLaneOffer.TAKEN_STATUS, status);
                int sent = (flags & PROBE) == 0 ? length : 0;
                int taken = Seal.openedLength(sent);
                String allowed = answered.getOrDefault(DirectLaneOffer.CONNECTIONS_HEADER, "0");
                String head = LaneKeys.answerHead(1, status, taken, Integer.parseInt(allowed));
                assertEquals(1, agent.verified(answered.get(DirectLaneOffer.ANSWER_HEADER), head));
                assertEquals(sent, bytesRead());
            }
        }
    }
}
