package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Runs a sender and a receiver in one JVM. A test can interfere with the streams between them. */
public final class Loopback {
    private SendOptions options = new SendOptions(Codec.NONE, 0);
    private UnaryOperator<OutputStream> wire = UnaryOperator.identity();
    private UnaryOperator<OutputStream> grants = UnaryOperator.identity();
    private int lanes = 1;
    private Function<Receiver, DirectLaneOffer> offers = receiver -> null;

    public record Result(SendReport sent, ReceiveReport received) {}

    public static Loopback with(SendOptions options) {
        Loopback loopback = new Loopback();
        loopback.options = options;
        return loopback;
    }

    public Loopback through(UnaryOperator<OutputStream> filter) {
        wire = filter;
        return this;
    }

    /** Filters the stream of credit grants, in the opposite direction. */
    public Loopback grantingThrough(UnaryOperator<OutputStream> filter) {
        grants = filter;
        return this;
    }

    public Loopback over(int number) {
        lanes = number;
        return this;
    }

    /** Adds direct lanes with an offer for the receiver. */
    public Loopback direct(Function<Receiver, DirectLaneOffer> offer) {
        offers = offer;
        return this;
    }

    /** Archives {@code files} of {@code workspace} into {@code archive}. */
    public Result archive(Path workspace, Map<String, String> files, Path archive)
            throws IOException, InterruptedException {
        return archive(workspace, files, archive, files.keySet());
    }

    /** Archives files while the receiver expects other names. */
    public Result archive(Path workspace, Map<String, String> files, Path archive, Set<String> expected)
            throws IOException, InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Receiver receiver =
                        new Receiver(archive, null, expected, EntryDecoder.NONE, options.blockSize(), threads);
                CreditPipe credits = new CreditPipe()) {
            DirectLaneOffer offer = offers.apply(receiver);
            List<OutputStream> outs = Stream.generate(receiver.inbox()::newLane)
                    .map(wire)
                    .limit(lanes)
                    .toList();
            Future<SendReport> sending = threads.submit(() -> Sender.send(
                    workspace,
                    files,
                    options,
                    CapturedTransfer.target(outs, credits, receiver.inbox().credit(), offer),
                    null));
            ReceiveReport received = CapturedTransfer.receive(receiver, grants.apply(credits.sink()), () -> {
                if (sending.isDone()) {
                    result(sending);
                    throw new IOException("The sender has finished without an end frame");
                }
            });
            receiver.commit();
            return new Result(result(sending), received);
        } finally {
            Threads.end(threads);
        }
    }

    /** Returns the result of a sender, or throws its failure with the same message. */
    public static SendReport result(Future<SendReport> sending) throws IOException, InterruptedException {
        try {
            return sending.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }
}
