package io.jenkins.plugins.compressionaware.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** Somebody between an agent and an HTTP server who records all bytes, and changes some of them. */
public final class Meddler extends Interposed {
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private final AtomicInteger exchanges = new AtomicInteger();
    private final AtomicInteger meddled = new AtomicInteger();
    private final Harm harm;
    private Message earlierRequest;
    private Message earlierAnswer;

    /** What happens to every exchange but probes and the first few. */
    public enum Harm {
        NONE,
        CHANGES_A_BIT_OF_A_REQUEST,
        CHANGES_A_BIT_OF_AN_ANSWER,
        CUTS,
        /** Each request comes three times. */
        REPEATS,
        /** A request gets the body of the one before. */
        SWAPS_BODIES,
        /** A request is answered as the one before. */
        SWAPS_ANSWERS,
        /** One request arrives, and the connection breaks before its answer. */
        LOSES_AN_ANSWER,
        /** Nothing is passed on, and everything is confirmed. */
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
    public Meddler(int target, Harm harm) throws IOException {
        super(target);
        this.harm = harm;
        listen();
    }

    /** Exchanges that were not passed on as they were. */
    public int meddled() {
        return meddled.get();
    }

    /** All bytes in both directions. */
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
            // refused before its body was read
        }
    }

    private synchronized Message swapRequest(Message request) {
        Message before = earlierRequest == null ? request : earlierRequest;
        earlierRequest = request;
        return before;
    }

    private synchronized Message swapAnswer(Message answer) {
        Message before = earlierAnswer == null ? answer : earlierAnswer;
        earlierAnswer = answer;
        return before;
    }

    /** Whether the connection goes on. */
    private boolean serve(Message request, Socket near) throws IOException {
        record(request);
        Message sent = request;
        if (request.body.length > 0 && exchanges.incrementAndGet() > 3) {
            meddled.incrementAndGet();
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
                case CUTS -> {
                    Message answer = pass(request);
                    near.getOutputStream().write(answer.bytes(), 0, answer.bytes().length / 2);
                    return false;
                }
                case LOSES_AN_ANSWER -> {
                    if (meddled.get() == 1) {
                        pass(request);
                        return false;
                    }
                }
                case REPEATS -> {
                    Message answer = pass(request);
                    repeat(request);
                    repeat(request);
                    near.getOutputStream().write(answer.bytes());
                    return true;
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
        return true;
    }

    private static String flippedTag(String head) {
        int header = head.toLowerCase(Locale.ROOT).indexOf("artifact-transfer-answer");
        int tag = head.indexOf("\r\n", header) - 2;
        return head.substring(0, tag) + (head.charAt(tag) == 'A' ? 'B' : 'A') + head.substring(tag + 1);
    }
}
