package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.packed.PackedEnd;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import io.jenkins.plugins.compressionaware.report.Bottleneck;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of a transfer names the store if the agent waits for it. The controller sees no byte, so that the agent has to measure. */
@Timeout(120)
class SlowStoreTest {
    private static final int BLOCK = 64 * 1024;
    private static final int FOOTER = 48;
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0, BLOCK, 1);

    @TempDir
    private Path tree;

    @TempDir
    private Path target;

    @AutoClose
    private final FakeStore store = new FakeStore();

    private final AtomicLong packed = new AtomicLong();

    SlowStoreTest() throws IOException {}

    /** @param names names to accept; null for a stash */
    private FakeUpload upload(Set<String> names) {
        return new FakeUpload(store, PartChecksum.CRC32C, listing -> {
            try {
                return new PackedEnd(listing, names, BLOCK, UnaryOperator.identity()).bytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Returns the controller's end of an upload in which a large file has an object of its own. */
    private StoreUpload uploads() {
        FakeUpload main = upload(Set.of("noise"));
        FakeUpload own = upload(null);
        return new StoreUpload() {
            @Override
            public SignedRequest[] sign(ObjectPart[] parts) {
                Stream.of(parts).forEach(part -> packed.addAndGet(part.length()));
                return (parts[0].object().isEmpty() ? main : own).sign(parts);
            }

            @Override
            public String begin(String name) {
                return "key";
            }

            @Override
            public byte[] end(byte[] listing) {
                return main.end(listing);
            }
        };
    }

    private SendReport send(StoreUpload upload, AgentEnd end) throws IOException, InterruptedException {
        return StoreSender.send(tree, FileTrees.names(tree), OPTIONS, upload, PartChecksum.CRC32C, true, end)
                .report();
    }

    /** The store answers one of the last requests when the file was read long ago. */
    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 64 << 20})
    void storeIsTheBottleneckOfAnUpload(int size) throws Exception {
        FileTrees.noise(tree.resolve("noise"), size);
        RunningTransfer running = TransferResults.running(TransferInfo.Operation.ARCHIVE);
        AtomicBoolean isLate = new AtomicBoolean();
        store.fail(request -> {
            if (packed.get() >= size && !isLate.getAndSet(true)) {
                while (AgentEnd.stateOf(44)[0] != AgentEnd.WAITS_FOR_STORE) {
                    sleep(1_000_000);
                }
                sleep(4 * running.nanos());
            }
            return null;
        });
        try (AgentEnd end = AgentEnd.begin(44)) {
            SendReport sent = send(uploads(), end);
            ReceiveReport counts = ReceiveReport.of(Figures.counts(1, size, size, size, 0));
            assertEquals(Bottleneck.NETWORK, running.completed(sent, counts).bottleneck, sent.toString());
        }
    }

    @Test
    void storeIsTheBottleneckOfADownload() throws Exception {
        FileTrees.noise(tree.resolve("noise"), 1 << 20);
        FakeUpload upload = upload(null);
        ObjectReader object = upload.complete(
                StoreSender.send(tree, FileTrees.names(tree), OPTIONS, upload, PartChecksum.CRC32C, false, null)
                        .tags());
        RunningTransfer running = TransferResults.running(TransferInfo.Operation.UNSTASH);
        store.fail(request -> {
            sleep(2 * running.nanos() + 100_000_000);
            return null;
        });
        SelectedFiles all = SelectedFiles.all(object.length() - FOOTER);
        try (FrameFileDownloader downloader = new FrameFileDownloader(all, BLOCK)) {
            ReceiveReport received = downloader
                    .fetch(new Workspace(target, true), object::open, object::waitsForController, 1)
                    .received();
            SendReport sent = SendReport.ofFrameFile(received.figures(), null);
            assertEquals(Bottleneck.NETWORK, running.completed(sent, received).bottleneck, received.toString());
        }
    }

    private static void sleep(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
