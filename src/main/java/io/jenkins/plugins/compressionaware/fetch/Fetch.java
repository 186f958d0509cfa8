package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.agent.AgentTransfer;
import io.jenkins.plugins.compressionaware.agent.UnstashTransfer;
import io.jenkins.plugins.compressionaware.config.ResolvedTransfer;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import java.io.IOException;
import java.io.PrintStream;

/**
 * One transfer of a build's artifacts to an agent.
 *
 * @param from   has them
 * @param to     needs them
 * @param target where they belong
 * @param temp   beside its workspace, see {@link UnstashTransfer}
 * @param agent  name of the target's agent; empty if it has just gone
 */
record Fetch(
        Run<?, ?> from,
        Run<?, ?> to,
        FilePath target,
        @CheckForNull String temp,
        String agent,
        PrintStream log) {
    /** False if nothing has been done, which the log explains; the files are to be copied by other means. */
    boolean run(Chosen files, ResolvedTransfer how) throws IOException, InterruptedException {
        RunningTransfer running = RunningTransfer.start(
                new Transfer(
                        Transfer.Kind.FETCH,
                        to.getParent().getFullName(),
                        to.getNumber(),
                        agent,
                        from.getParent().getFullName() + " #" + from.getNumber(),
                        files.paths().size(),
                        how.chosenBy()),
                log);
        UnstashTransfer transfer = new UnstashTransfer(target, temp, log, running);
        try (Packed packed = packed(files, transfer, how.settings(), running)) {
            return packed != null && run(packed, transfer, how.settings(), running);
        }
    }

    private Packed packed(Chosen files, UnstashTransfer transfer, TransferSettings settings, RunningTransfer running)
            throws InterruptedException {
        try {
            // what an unfinished build archives may change
            Object alone = from.isLogUpdated() ? new Object() : null;
            return Packed.of(new Packed.Key(files, transfer.packedAs(settings, files.bytes()), alone));
        } catch (IOException e) {
            running.failed(e);
            left(e);
            return null;
        } catch (InterruptedException | RuntimeException | Error e) {
            running.failed(e);
            throw e;
        }
    }

    private boolean run(Packed packed, UnstashTransfer transfer, TransferSettings settings, RunningTransfer running)
            throws IOException, InterruptedException {
        try (StoredFrames file = StoredFrames.open(packed.file())) {
            TransferResult result = transfer.run(file, settings);
            log.println(LogLine.of(result));
            return true;
        } catch (IOException e) {
            if (!AgentTransfer.lacksClasses(e) || settings.directLane().equals(TransferSettings.REQUIRED)) {
                throw e;
            }
            left(e);
            return false;
        }
    }

    private void left(IOException reason) {
        log.println(LogLine.oneLine(Messages.FetchingSelector_left(from.getFullDisplayName(), reason.getMessage())));
    }
}
