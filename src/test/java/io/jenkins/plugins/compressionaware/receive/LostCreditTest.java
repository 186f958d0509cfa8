package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.Route;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testkit.CreditPipe;
import io.jenkins.plugins.compressionaware.testkit.LaneHook;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One message of credit is lost, in a transfer that needs several windows. */
@Timeout(60)
class LostCreditTest {
    private static final int SIZE = 40 << 20;

    @TempDir
    private Path folder;

    @Test
    void theTransferGoesOn() throws Exception {
        Files.write(folder.resolve("large"), Trees.noise(SIZE));
        ExecutorService threads = Executors.newCachedThreadPool();
        CreditPipe credits = new CreditPipe();
        OutputStream failing = new LaneHook(credits.sink(), (write, length) -> {
            if (write >= 3 && write <= 12) {
                throw new OutOfMemoryError("Java heap space");
            }
            return true;
        });
        try (Receiver receiver = new Receiver(folder.resolve("archive"), null, Set.of("large"), EntryDecoder.NONE, 256 * 1024, threads)) {
            Route route = new Route(List.of(receiver.newLane()), credits, receiver.credit(), 0, 0, null, null);
            Future<SendReport> sending = threads.submit(
                    () -> Sender.send(folder, Map.of("large", "large"), new SendOptions(Codec.NONE, 0), route, null));
            assertEquals(SIZE, receiver.receive(() -> null, failing, () -> {}).contentBytes());
            sending.get();
        } finally {
            credits.close();
            Threads.end(threads);
        }
    }
}
