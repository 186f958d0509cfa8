package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.adaptive.Usage;
import io.jenkins.plugins.compressionaware.transfer.AgentTransfer;
import io.jenkins.plugins.compressionaware.transfer.UnstashTransfer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.config.ResolvedTransfer;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.FilesAsFrames;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFrames;
import io.jenkins.plugins.compressionaware.engine.tar.Helpers;
import io.jenkins.plugins.compressionaware.engine.tar.TarOfFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * One transfer of a build's artifacts to an agent.
 *
 * @param from   build that has the artifacts
 * @param to     build that needs them
 * @param target folder for them
 * @param agent  name of the target's agent; empty if it has just gone
 */
record Fetch(Run<?, ?> from, Run<?, ?> to, FilePath target, String agent, PrintStream log) {
    /** Nothing has been done, and the files must be copied by other means. */
    private static final class NotFetchedException extends IOException {
        private static final long serialVersionUID = 1;

        NotFetchedException(IOException reason) {
            super(reason.getMessage(), reason);
        }
    }

    /**
     * Fetches files.
     *
     * @param digested whether to compute the MD5 of each file
     * @return the MD5 of each file by its path; null if the files must be copied by other means, which the log explains
     */
    @CheckForNull
    Map<String, String> run(Chosen files, ResolvedTransfer how, boolean digested)
            throws IOException, InterruptedException {
        RunningTransfer running = RunningTransfer.start(
                new Transfer(
                        Transfer.Kind.FETCH,
                        to.getParent().getFullName(),
                        to.getNumber(),
                        agent,
                        from.getParent().getFullName() + " #" + from.getNumber(),
                        files.members().size(),
                        how.chosenBy()),
                log);
        UnstashTransfer transfer = new UnstashTransfer(target, log, running);
        TarOfFiles tar = new TarOfFiles(files.archive(), files.members(), digested);
        try {
            log.println(LogLine.of(running.run(() -> transfer(files, tar, transfer, how.settings()))));
            return digests(tar);
        } catch (NotFetchedException e) {
            log.println(LogLine.oneLine(Messages.FetchingSelector_left(from.getFullDisplayName(), e.getMessage())));
            return null;
        }
    }

    private static Map<String, String> digests(TarOfFiles tar) throws IOException, InterruptedException {
        try {
            return tar.digests();
        } catch (IOException e) {
            throw new NotFetchedException(e);
        }
    }

    private TransferResult transfer(Chosen files, TarOfFiles tar, UnstashTransfer transfer, TransferSettings settings)
            throws IOException, InterruptedException {
        int blockSize = settings.toSendOptions().blockSize();
        try (HeapBudget.Account heap = HeapBudget.ofThisJvm().open(FilesAsFrames.heap(blockSize), 0);
                FilesAsFrames plain =
                        new FilesAsFrames(tar, blockSize, new Helpers(Computer.threadPoolForRemoting, heap))) {
            SendOptions options = transfer.packedAs(settings, files.bytes(), plain);
            if (isPlain(options)) {
                return unpack(plain, plain.usages(), transfer, settings, plain);
            }
            // the archive of an unfinished build may change
            Object alone = from.isLogUpdated() ? new Object() : null;
            try (Packed packed = pack(new Packed.Key(files, options, alone), plain);
                    StoredFrames file = StoredFrames.open(packed.file())) {
                return unpack(file, packed.usages(), transfer, settings, plain);
            }
        }
    }

    private static boolean isPlain(SendOptions options) {
        return options.compression() instanceof Compression.Fixed fixed
                && fixed.choice().codec() == Codec.NONE;
    }

    private static Packed pack(Packed.Key key, FilesAsFrames files) throws IOException, InterruptedException {
        try {
            return Packed.of(key, files);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new NotFetchedException(e);
        }
    }

    private static TransferResult unpack(
            StoredFrames frames,
            List<Usage> packed,
            UnstashTransfer transfer,
            TransferSettings settings,
            FilesAsFrames files)
            throws IOException, InterruptedException {
        try {
            return transfer.unpack(frames, packed, settings);
        } catch (IOException e) {
            IOException unreadable = files.failure();
            if (unreadable != null) {
                throw new NotFetchedException(unreadable);
            } else if (AgentTransfer.lacksClasses(e) && settings.directLane() != DirectLane.REQUIRED) {
                throw new NotFetchedException(e);
            }
            throw e;
        }
    }
}
