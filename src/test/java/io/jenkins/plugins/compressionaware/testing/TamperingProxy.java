package io.jenkins.plugins.compressionaware.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An attacker between an agent and an HTTP server, who records all bytes and changes some. */
public final class TamperingProxy extends Interposed {
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private final AtomicInteger exchanges = new AtomicInteger();
    private final AtomicInteger meddled = new AtomicInteger();
    private final Harm harm;
    /** Number of exchanges, except probes, that are not attacked. */
    private static final int PASSED = 3;

    private Message previousRequest;
    private Message previousAnswer;
    private int answered;

    /** The attack on all exchanges except probes and the first few. */
    public enum Harm {
        NONE,
        CHANGES_A_BIT_OF_A_REQUEST,
        CHANGES_A_BIT_OF_AN_ANSWER,
        /** Sends each request three times. */
        REPEATS,
        /** Delays every second request until a later one of another connection was answered. */
        REORDERS,
        /** Sends a request with the body of the previous one. */
        SWAPS_BODIES,
        /** Returns the answer to the previous request. */
        SWAPS_ANSWERS,
        /** Passes no request, and confirms each. */
        ANSWERS_ITSELF
    }

    private record Message(String head, byte[] body) {
        byte[] bytes() {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(head.getBytes(ISO_8859_1));
            all.writeBytes(body);
            return all.toByteArray();
        }

        Message flipped() {
            byte[] changed = body.clone();
            changed[changed.length / 2] ^= 4;
            return new Message(head, changed);
        }
    }

    /** @param target port on this machine */
    public TamperingProxy(int target, Harm harm) throws IOException {
        super(target);
        this.harm = harm;
        listen();
    }

    /** Returns the number of exchanges that were changed. */
    public int meddled() {
        return meddled.get();
    }

    /** Returns all bytes of both directions. */
    public synchronized String recording() {
        return recorded.toString(ISO_8859_1);
    }

    @Override
    void serve(Socket near) throws IOException {
        for (Message request = read(near.getInputStream());
                request != null && serve(request, near);
                request = read(near.getInputStream())) {}
    }

    private static Message read(InputStream in) throws IOException {
        String head = head(in);
        if (head == null) {
            return null;
        }
        byte[] body = new byte[length(head)];
        new DataInputStream(in).readFully(body);
        return new Message(head, body);
    }

    private synchronized Message record(Message message) {
        if (message != null) {
            recorded.writeBytes(message.bytes());
        }
        return message;
    }

    private Message pass(Message request) throws IOException {
        try (Socket far = far()) {
            far.getOutputStream().write(request.bytes());
            return record(read(far.getInputStream()));
        }
    }

    private void repeat(Message request) {
        try {
            pass(request);
        } catch (IOException e) {
            // the server refuses a request without reading its body
        }
    }

    private synchronized Message swapRequest(Message request) {
        Message before = previousRequest == null ? request : previousRequest;
        previousRequest = request;
        return before;
    }

    private synchronized Message swapAnswer(Message answer) {
        Message before = previousAnswer == null ? answer : previousAnswer;
        previousAnswer = answer;
        return before;
    }

    /** Waits until another request is answered; at most two seconds, because none may follow. */
    private synchronized void awaitAnother() throws IOException {
        int before = answered;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        try {
            while (answered == before && System.nanoTime() - end < 0) {
                wait(10);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private synchronized void countAnswer() {
        answered++;
        notifyAll();
    }

    /** Returns whether to keep the connection. */
    private boolean serve(Message request, Socket near) throws IOException {
        record(request);
        Message sent = request;
        if (request.body.length > 0 && exchanges.incrementAndGet() > PASSED) {
            int number = meddled.incrementAndGet();
            switch (harm) {
                case CHANGES_A_BIT_OF_A_REQUEST -> sent = request.flipped();
                case CHANGES_A_BIT_OF_AN_ANSWER -> {
                    Message answer = pass(request);
                    boolean empty = answer.body.length == 0;
                    near.getOutputStream()
                            .write((empty ? new Message(flippedTag(answer.head), answer.body) : answer.flipped())
                                    .bytes());
                    return true;
                }
                case REPEATS -> {
                    Message answer = pass(request);
                    repeat(request);
                    repeat(request);
                    near.getOutputStream().write(answer.bytes());
                    return true;
                }
                case REORDERS -> {
                    if (number % 2 == 1) {
                        awaitAnother();
                    }
                }
                case SWAPS_BODIES -> {
                    Message before = swapRequest(request);
                    boolean fits = before.body.length == request.body.length;
                    sent = fits ? new Message(request.head, before.body) : request;
                }
                case SWAPS_ANSWERS -> {
                    near.getOutputStream().write(swapAnswer(pass(request)).bytes());
                    return true;
                }
                case ANSWERS_ITSELF -> {
                    String answer = "HTTP/1.1 204 No Content\r\nArtifact-Transfer-Connections: 3\r\n"
                            + "Artifact-Transfer-Answer: 9 AAECAwQFBgcICQoLDA0ODw\r\n\r\n";
                    near.getOutputStream().write(answer.getBytes(ISO_8859_1));
                    return true;
                }
                default -> {}
            }
        }
        Message answer = pass(sent);
        if (answer == null) {
            return false;
        }
        near.getOutputStream().write(answer.bytes());
        countAnswer();
        return true;
    }

    private static String flippedTag(String head) {
        int header = head.toLowerCase(Locale.ROOT).indexOf("artifact-transfer-answer");
        int tag = head.indexOf("\r\n", header) - 2;
        return head.substring(0, tag) + (head.charAt(tag) == 'A' ? 'B' : 'A') + head.substring(tag + 1);
    }
}
