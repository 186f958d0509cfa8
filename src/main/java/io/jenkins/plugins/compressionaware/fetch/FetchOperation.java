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
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFile;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.Work;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
import io.jenkins.plugins.compressionaware.transfer.PackedCopy;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
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
        RunningTransfer running = RunningTransfer.start(
                TransferInfo.Operation.FETCH,
                to,
                target,
                from.getParent().getFullName() + " #" + from.getNumber(),
                files.members().size(),
                effective.overriddenBy(),
                log);
        DownloadTransfer transfer = new DownloadTransfer(target, log, running);
        SeekableTar tar = new SeekableTar(files.archive(), files.members(), digested);
        try {
            log.println(BuildLogMessages.completed(
                    running.run(() -> transfer(files, tar, transfer, effective.settings()))));
            return orFallBack(() -> running.disk().call(tar::digests));
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
            VirtualFrameFile files)
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
