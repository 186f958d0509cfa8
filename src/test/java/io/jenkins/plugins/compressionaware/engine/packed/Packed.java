package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/** Creates packed archives as a transfer does. */
public final class Packed {
    static final int BLOCK = 64 * 1024;

    private static final Executor THREADS = task -> new Thread(task).start();

    private Packed() {}

    /** Packs all files of a tree into the next packed archive of a build. */
    public static void archive(Path tree, Path archive) throws IOException, InterruptedException {
        archive(tree, FileTrees.names(tree), archive, Codec.ZSTD);
    }

    public static void archive(Path tree, Map<String, String> files, Path archive, Codec codec)
            throws IOException, InterruptedException {
        SendOptions options = new SendOptions(codec, codec.defaultLevel(), BLOCK, 1);
        deliver(CapturedTransfer.stream(tree, files, options), archive, files.keySet());
    }

    /** Replays a stream to a receiver. */
    static void deliver(byte[] stream, Path archive, Set<String> names) throws IOException, InterruptedException {
        StagingJournal journal = new StagingJournal(archive.resolveSibling("journal"), archive.getParent());
        try (Receiver receiver = new Receiver(BLOCK, THREADS, () -> new PackedWriter(archive, journal, names, BLOCK))) {
            try (OutputStream lane = receiver.inbox().newLane()) {
                receiver.start();
                lane.write(stream);
            }
            receiver.awaitEnd(() -> {
                throw new IOException(CapturedTransfer.NO_END);
            });
            receiver.commit();
        }
    }
}
