package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.StoreFigures;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The sending end of a transfer to a store: packs files into a tar, compresses its blocks, and stores the frames as parts of one object. */
@Restricted(NoExternalUse.class)
public final class StoreSender extends InOrderSink implements AgentEnd.Part {
    private final PartSender parts;
    private final PackedListing listing = new PackedListing();
    private final OwnObjects objects;

    private StoreSender(PartSender parts, OwnObjects objects, int capacity) {
        super(capacity);
        this.parts = parts;
        this.objects = objects;
    }

    /**
     * The result of a transfer to a store.
     *
     * @param tags  the tags of all parts in their order, which complete the object
     * @param files     the same for the objects of single files, by key
     */
    public record Stored(SendReport report, List<String> tags, Map<String, List<String>> files, StoreFigures requests)
            implements Serializable {}

    /**
     * Sends files, and returns when the store has all parts.
     *
     * @param files     names in the archive, mapped to paths below {@code base}
     * @param options   options without lz4
     * @param checksum  what the store verifies
     * @param isArchive whether the controller gets a list of the files, to index them
     * @param end       registration by which the controller queries this end's state; null if it does not
     * @throws IOException if a file cannot be read (the message has its name), or a part cannot be stored
     */
    public static Stored send(
            Path base,
            Map<String, String> files,
            SendOptions options,
            StoreUpload upload,
            PartChecksum checksum,
            boolean isArchive,
            @CheckForNull AgentEnd end)
            throws IOException, InterruptedException {
        ThreadCpuTimes times = new ThreadCpuTimes();
        TransferThreads threads = new TransferThreads(times);
        CompressionPolicy policy = Sender.policy(options, SendTarget.store());
        ExecutorService readers = threads.pool("read");
        try (PartSender parts = new PartSender(upload, checksum, threads, policy::sent, 0)) {
            policy.lanes(parts.lanes(1), true);
            OwnObjects objects =
                    new OwnObjects(upload, checksum, threads, isArchive ? OwnObjects.MIN_BYTES : Long.MAX_VALUE);
            StoreSender frames = new StoreSender(parts, objects, options.threads() + 2);
            if (end != null) {
                end.follow(frames);
            }
            try (BlockCompressor blocks = new BlockCompressor(options, policy, frames, threads, 0)) {
                TarSink sink = isArchive
                        ? new EntryLister(blocks, options.blockSize(), frames.listing)
                        : new BlockSplitter(blocks, options.blockSize());
                TarPacker packer = new TarPacker(sink, readers, objects);
                packer.pack(base, files);
                packer.close();
                blocks.finish();
                frames.drain();
                parts.appendEnd(frames.listing.toBytes());
                List<String> tags = parts.finish();
                long whilePacking = objects.waitNanos();
                long waited = parts.waitNanos() + whilePacking;
                SendReport report =
                        Sender.report(packer, blocks, options, parts.bytes(), waited, whilePacking, times, null);
                return objects.addTo(report, tags, parts.figures());
            }
        } finally {
            readers.shutdown();
        }
    }

    @Override
    void append(FrameHeader header, byte[] frame, int length) throws IOException, InterruptedException {
        listing.add(header);
        parts.append(frame, 0, length);
    }

    @Override
    public long[] state() {
        List<PartSender> senders =
                Stream.concat(Stream.of(parts), objects.current().stream()).toList();
        long bytes = objects.bytes()
                + senders.stream().mapToLong(PartSender::written).sum();
        boolean waits = senders.stream().anyMatch(PartSender::waitsForController);
        boolean waitsForStore = senders.stream().anyMatch(PartSender::waitsForStore);
        int state = waitsForStore ? AgentEnd.WAITS_FOR_STORE : AgentEnd.BUSY;
        return new long[] {waits ? AgentEnd.WAITS : state, bytes, bytes};
    }
}
