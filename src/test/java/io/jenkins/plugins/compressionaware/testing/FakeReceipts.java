package io.jenkins.plugins.compressionaware.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;

/** The controller's end of a direct lane, over the JDK's web server. */
public final class FakeReceipts {
    /** The secret of every offer in tests. */
    public static final String SECRET = LaneKeys.newSecret(new SecureRandom());

    public final LaneKeys keys = new LaneKeys(SECRET);

    /** A request with a valid tag. */
    public record Taken(LaneKeys.Request request, String head, int length) {}

    /** @throws IOException if the request was not made with the secret */
    public Taken verified(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        LaneKeys.Request request = LaneKeys.Request.of(headers.getFirst(DirectLaneOffer.REQUEST_HEADER));
        if (request == null) {
            throw new IOException("The request has no valid header");
        }
        String length = headers.getFirst("Content-Length");
        int sent = length == null ? 0 : Integer.parseInt(length);
        String head = LaneKeys.requestHead(sent);
        if (!keys.requests().verifies(request.number(), head, request.tag())) {
            throw new IOException("The request has a wrong tag");
        }
        return new Taken(request, head, Seal.openedLength(sent));
    }

    public InputStream body(HttpExchange exchange, Taken taken) {
        return keys.requests().opening(taken.request.number(), taken.head, exchange.getRequestBody(), taken.length);
    }

    /** Returns the requested range, or null for a probe. */
    public RangeRequest order(HttpExchange exchange, Taken taken) throws IOException {
        return taken.length == 0 ? null : RangeRequest.read(new DataInputStream(body(exchange, taken)));
    }

    /** Sets the headers of a receipt. */
    public void receipt(HttpExchange exchange, Taken taken, int length, int connections) {
        Headers answer = exchange.getResponseHeaders();
        answer.set(DirectLaneOffer.CONNECTIONS_HEADER, Integer.toString(connections));
        answer.set(DirectLaneOffer.ANSWER_HEADER, receipt(taken.request.number(), length, connections));
    }

    /** Returns the header of a receipt. */
    public String receipt(long request, int length, int connections) {
        return keys.answer(keys.answers().next(), LaneKeys.answerHead(request, 204, length, connections));
    }

    /** Sends bytes as the answer to the request of this number, but only the first {@code coming} of them. */
    public void give(HttpExchange exchange, Taken taken, long request, byte[] bytes, int coming) throws IOException {
        String head = LaneKeys.answerHead(request, 200, bytes.length, 0);
        long number = keys.answers().next();
        exchange.getResponseHeaders().set(DirectLaneOffer.ANSWER_HEADER, keys.answer(number, head));
        exchange.sendResponseHeaders(200, Seal.sealedLength(bytes.length));
        Seal.Sealing sealing = keys.answers().sealing(number, head, exchange.getResponseBody());
        sealing.write(bytes, 0, coming);
        sealing.finish();
    }
}
