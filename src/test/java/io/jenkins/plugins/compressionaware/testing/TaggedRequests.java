package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** The agent's end of a direct lane. A test builds each request with it. */
public final class TaggedRequests {
    /** Number of complete entries in each request of a range. */
    public static final int COMPLETE = 3;

    public final LaneKeys keys;

    public TaggedRequests(String secret) {
        keys = new LaneKeys(secret);
    }

    /** A new request: the header, and the body as sent. */
    public record Made(long number, String header, byte[] body) {}

    public Made post(byte[] body) throws IOException {
        long number = keys.requests().next();
        String head = LaneKeys.requestHead(Seal.sealedLength(body.length));
        return new Made(number, keys.request(number, head), seal(number, head, body));
    }

    private byte[] seal(long number, String head, byte[] body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Seal.Sealing sealing = keys.requests().sealing(number, head, out);
        sealing.write(body);
        sealing.finish();
        return out.toByteArray();
    }

    public Made fetch(long position, int length) throws IOException {
        return post(new RangeRequest(0, position, length, COMPLETE).toBytes());
    }

    /** Returns whether the header is the controller's receipt for this request. */
    public boolean isReceipt(String header, Made request, int taken, int connections) {
        return isAnswer(header, request, DirectLaneOffer.TAKEN_STATUS, taken, connections);
    }

    /** Returns whether the header is the controller's request to repeat this request. */
    public boolean isBusy(String header, Made request) {
        return isAnswer(header, request, DirectLaneOffer.BUSY_STATUS, 0, 0);
    }

    private boolean isAnswer(String header, Made request, int status, int taken, int connections) {
        return keys.verified(header, LaneKeys.answerHead(request.number, status, taken, connections)) > 0;
    }

    /** Returns the decrypted body of an answer, or null if the controller has not sent it for this request. */
    public byte[] opened(String header, Made request, byte[] body, int length) throws IOException {
        String head = LaneKeys.answerHead(request.number, 200, length, 0);
        long number = keys.verified(header, head);
        if (number == 0) {
            return null;
        }
        return keys.answers()
                .opening(number, head, new ByteArrayInputStream(body), length)
                .readAllBytes();
    }
}
