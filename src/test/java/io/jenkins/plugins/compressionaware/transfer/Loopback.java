package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A sender and a receiver in one JVM, with a place between them where a test can do harm. */
final class Loopback {
    private SendOptions options = new SendOptions(Codec.NONE, 0);
    private UnaryOperator<OutputStream> wire = UnaryOperator.identity();
    private int lanes = 1;

    record Result(SendReport sent, ReceiveReport received) {}

    static Loopback with(SendOptions options) {
        Loopback loopback = new Loopback();
        loopback.options = options;
        return loopback;
    }

    Loopback through(UnaryOperator<OutputStream> harm) {
        wire = harm;
        return this;
    }

    Loopback over(int number) {
        lanes = number;
        return this;
    }

    /** Archives {@code files} of {@code workspace} into {@code archive}. */
    Result archive(Path workspace, Map<String, String> files, Path archive) throws IOException, InterruptedException {
        return archive(workspace, files, archive, files.keySet());
    }

    /** The same, while the receiver expects other names. */
    Result archive(Path workspace, Map<String, String> files, Path archive, Set<String> expected)
            throws IOException, InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Receiver receiver = new Receiver(archive, expected, options.blockSize(), threads);
                PipedInputStream credits = new PipedInputStream();
                PipedOutputStream grants = new PipedOutputStream(credits)) {
            List<OutputStream> outs =
                    Stream.generate(receiver::newLane).map(wire).limit(lanes).toList();
            Future<SendReport> sending =
                    threads.submit(() -> Sender.send(workspace, files, options, new Route(outs, credits, 0)));
            ReceiveReport received = receiver.receive(grants, () -> {
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

    private static SendReport result(Future<SendReport> sending) throws IOException, InterruptedException {
        try {
            return sending.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }
}
