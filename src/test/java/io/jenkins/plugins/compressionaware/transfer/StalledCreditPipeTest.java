package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that never connects its credit pipe, so that remoting's writes to it block. */
@Timeout(60)
class StalledCreditPipeTest {
    @TempDir
    Path tmp;

    @Test
    void archiveCompletesWhileCreditWriteBlocks() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("file"), new byte[4 << 20]);
        Map<String, String> names = FileTrees.names(workspace);
        SendOptions options = new SendOptions(Codec.NONE, 0);
        byte[] stream = CapturedTransfer.stream(workspace, names, options);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Receiver receiver = new Receiver(
                tmp.resolve("archive"), null, names.keySet(), EntryDecoder.NONE, options.blockSize(), threads)) {
            try (OutputStream lane = receiver.inbox().newLane()) {
                lane.write(stream);
            }
            CapturedTransfer.receive(receiver, Pipe.createLocalToRemote().getOut(), () -> {});
            receiver.commit();
        } finally {
            Threads.end(threads);
        }
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(tmp.resolve("archive")));
    }
}
