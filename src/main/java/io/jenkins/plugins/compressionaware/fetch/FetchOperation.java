package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFile;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.Work;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
import io.jenkins.plugins.compressionaware.transfer.PackedCopy;
import io.jenkins.plugins.compressionaware.transfer.StoreTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Transfers artifacts of one build to an agent of another build.
 *
 * @param from   build that has the artifacts
 * @param to     build that fetches the artifacts
 * @param target destination folder
 */
record FetchOperation(Run<?, ?> from, Run<?, ?> to, FilePath target, PrintStream log) {
    /** Bytes around the content of an artifact that is copied. */
    private static final int ENTRY_OVERHEAD = 2048;

    /** Thrown if the Copy Artifact plugin must copy the files instead. */
    private static final class FallbackException extends IOException {
        private static final long serialVersionUID = 1;

        FallbackException(IOException reason) {
            super(reason.getMessage(), reason);
        }
    }

    /**
     * Fetches files, and logs the reason if the Copy Artifact plugin must copy them instead.
     *
     * @param digested whether to compute the MD5 of each file
     * @return MD5 by path; null if the Copy Artifact plugin must copy the files
     */
    @CheckForNull
    Map<String, String> run(FetchSelection files, EffectiveSettings effective, boolean digested)
            throws IOException, InterruptedException {
        RunningTransfer running = start(files.members().size(), effective);
        DownloadTransfer transfer = new DownloadTransfer(target, log, running);
        SeekableTar tar = new SeekableTar(files.archive(), files.members(), digested);
        return orLeave(() -> {
            log.println(BuildLogMessages.completed(
                    running.run(() -> transfer(files, tar, transfer, effective.settings()))));
            return orFallBack(() -> running.disk().call(tar::digests));
        });
    }

    /**
     * Fetches all artifacts by sending the frames of packed archives as they are stored, one archive after the other. Archives with links are refused: each is
     * read before, because its index may be forged, except if the agent reads it from a store, and refuses links itself.
     *
     * @return see {@link #run}; empty, since no MD5 is computed
     */
    @CheckForNull
    Map<String, String> send(List<Path> archives, EffectiveSettings effective)
            throws IOException, InterruptedException {
        return orLeave(() -> {
            for (Path archive : archives) {
                send(archive, null, effective);
            }
            return Map.of();
        });
    }

    /** Fetches some of the packed artifacts. The agent reads the frames that have them from a store, or is sent a copy of these frames. */
    @CheckForNull
    Map<String, String> send(Map<PackedFile, List<TarEntry>> selected, EffectiveSettings effective)
            throws IOException, InterruptedException {
        return orLeave(() -> {
            InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
            for (Map.Entry<PackedFile, List<TarEntry>> each : selected.entrySet()) {
                PackedFile archive = each.getKey();
                List<TarEntry> entries = each.getValue();
                if (readByAgent(archive, entries, effective)) {
                    continue;
                }
                PackedCopy copy = orFallBack(() -> disk.open(() -> copy(archive, entries)));
                try (Closeable cleanup = () -> disk.runCleanup(copy)) {
                    send(copy.file(), entries, effective);
                }
            }
            return Map.of();
        });
    }

    /** Lets the agent read selected files from a store. Returns false if it cannot, or if the archive is on this disk. */
    private boolean readByAgent(PackedFile archive, List<TarEntry> entries, EffectiveSettings effective)
            throws IOException, InterruptedException {
        InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
        try (FrameFile stored = orFallBack(() -> disk.open(() -> archive.openStored(entries)))) {
            boolean reads = stored != null && orFallBack(() -> StoreTransfer.agentReads(target, stored));
            if (reads) {
                unpack(stored, effective);
            }
            return reads;
        }
    }

    private PackedCopy copy(PackedFile archive, List<TarEntry> entries) throws IOException, InterruptedException {
        if (entries.stream().anyMatch(entry -> entry.type() == TarEntry.OBJECT)) { // the frames have a link
            throw new IOException(Messages.FetchingSelector_packed());
        }
        SendOptions options = new SendOptions(Codec.ZSTD, Codec.ZSTD.defaultLevel(), archive.blockSize(), 1);
        PackedCopy.Key key = new PackedCopy.Key(List.of(archive.identity(), entries), options, null);
        long bytes = entries.stream()
                .mapToLong(entry -> entry.size() + ENTRY_OVERHEAD)
                .sum();
        return PackedCopy.of(key, TransferInfo.agentOf(target), bytes, to -> {
            archive.copy(entries, to);
            return SendReport.NOTHING;
        });
    }

    /** @param wanted the files of the archive, which is not sent if it has others; null to send all files */
    private void send(Path archive, @CheckForNull List<TarEntry> wanted, EffectiveSettings effective)
            throws IOException, InterruptedException {
        InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
        try (FrameFile frames = orFallBack(() -> disk.open(() -> FrameFile.open(archive)))) {
            boolean byAgent = orFallBack(() -> StoreTransfer.agentReads(target, frames));
            orFallBack(() -> disk.call(() -> byAgent ? refuseLinks(archive) : refuseUnwanted(frames, wanted)));
            unpack(frames, effective);
        }
    }

    private void unpack(FrameFile frames, EffectiveSettings effective) throws IOException, InterruptedException {
        RunningTransfer running = start(0, effective);
        DownloadTransfer transfer = new DownloadTransfer(target, log, running);
        log.println(BuildLogMessages.completed(
                running.run(() -> unpack(frames, List.of(), transfer, effective.settings(), frames))));
    }

    /** Refuses an archive whose index has links. */
    @CheckForNull
    private static Void refuseLinks(Path archive) throws IOException {
        boolean[] hasLink = new boolean[1];
        PackedFile.of(archive).visit("", entry -> {
            hasLink[0] = entry.type() == TarEntry.LINK;
            return hasLink[0] ? null : "";
        });
        if (hasLink[0]) {
            throw new IOException(Messages.FetchingSelector_packed());
        }
        return null;
    }

    @CheckForNull
    private static Void refuseUnwanted(FrameFile frames, @CheckForNull List<TarEntry> wanted) throws IOException {
        Iterator<TarEntry> left = wanted == null ? Collections.emptyIterator() : wanted.iterator();
        try (InputStream tar = new FrameFileTarInputStream(frames, Computer.threadPoolForRemoting)) {
            TarWalker.walk(tar, Integer.MAX_VALUE, entry -> {
                boolean isWanted = wanted == null
                        ? entry.type() != TarEntry.LINK
                        : entry.type() == TarEntry.FILE
                                && left.hasNext()
                                && left.next().name().equals(entry.name());
                if (!isWanted) {
                    throw new IOException(Messages.FetchingSelector_packed());
                }
            });
        }
        if (left.hasNext()) {
            throw new IOException(Messages.FetchingSelector_packed());
        }
        return null;
    }

    private RunningTransfer start(int files, EffectiveSettings effective) {
        return RunningTransfer.start(
                TransferInfo.Operation.FETCH,
                to,
                target,
                from.getParent().getFullName() + " #" + from.getNumber(),
                files,
                effective.overriddenBy(),
                log);
    }

    /** Returns null, and logs the reason, if the Copy Artifact plugin must copy the files. */
    @CheckForNull
    private <R> R orLeave(Work<R> work) throws IOException, InterruptedException {
        try {
            return work.run();
        } catch (FallbackException e) {
            log.println(BuildLogMessages.oneLine(
                    Messages.FetchingSelector_left(from.getFullDisplayName(), e.getMessage())));
            return null;
        }
    }

    private TransferResult transfer(
            FetchSelection files, SeekableTar tar, DownloadTransfer transfer, TransferSettings settings)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.toSendOptions();
        int blockSize = wanted.blockSize();
        try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm()
                        .open(VirtualFrameFile.minHeap(blockSize), 0)
                        .of(transfer.running().transfer().agent());
                VirtualFrameFile plain = new VirtualFrameFile(
                        tar, blockSize, wanted.checksum(), new DiskHelpers(Computer.threadPoolForRemoting, heap))) {
            SendOptions options = transfer.packing().optionsFor(settings, files.bytes(), plain);
            if (options.compression() instanceof CompressionMode.Fixed fixed
                    && fixed.choice().codec() == Codec.NONE) {
                return unpack(plain, plain.usages(), transfer, settings, plain);
            }
            // an unfinished build can change its archive
            Object alone = from.isLogUpdated() ? new Object() : null;
            PackedCopy.Key key = new PackedCopy.Key(files, options, alone);
            InterruptibleDiskTask disk = transfer.running().disk();
            String agent = transfer.running().transfer().agent();
            PackedCopy packed = orFallBack(() -> disk.open(() -> PackedCopy.of(
                    key, agent, plain.wireBytes(), target -> FrameFileSink.store(plain, options, target))));
            try (Closeable cleanup = () -> disk.runCleanup(packed);
                    FrameFile file = orFallBack(() -> disk.open(() -> FrameFile.open(packed.file())))) {
                return unpack(file, packed.usages(), transfer, settings, plain);
            }
        }
    }

    /** Runs work on the artifacts. If the work fails, Copy Artifact must copy them instead. */
    private static <R> R orFallBack(Work<R> work) throws IOException, InterruptedException {
        try {
            return work.run();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(e);
        }
    }

    private static TransferResult unpack(
            FrameFile frames,
            List<CodecUsage> packed,
            DownloadTransfer transfer,
            TransferSettings settings,
            FrameFile files)
            throws IOException, InterruptedException {
        try {
            return transfer.unpack(frames, packed, settings);
        } catch (IOException e) {
            IOException unreadable = files.failure();
            if (unreadable != null) {
                throw new FallbackException(unreadable);
            } else if (UploadTransfer.isClassConflict(e) && settings.directLane() != DirectLane.REQUIRED) {
                throw new FallbackException(e);
            }
            throw e;
        }
    }
}
