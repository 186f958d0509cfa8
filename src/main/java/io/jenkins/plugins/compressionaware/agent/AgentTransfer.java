package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.Remark;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One transfer from an agent over its channel. The calling thread unpacks. */
public final class AgentTransfer {
    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;

    /**
     * @param running the transfer, just started; this ends it
     */
    public AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
    }

    private record Ends(SendReport sent, ReceiveReport received) {}

    /**
     * Transfers all files or none.
     *
     * @param files name in the archive to path in the workspace
     */
    public TransferResult archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        Into into = (blockSize, executor) -> new Receiver(archive, files.keySet(), blockSize, executor);
        return transfer(
                new Selection.Named(new HashMap<>(files)), into, settings, settings.toSendOptions(), report -> {});
    }

    /**
     * Keeps the frames of files in a file, as they arrive.
     *
     * @param partial  where the file is until it is whole; must not exist
     * @param files    which files to send
     * @param verdict  hears what the agent has sent before the file is moved to its place, and may refuse it
     */
    public TransferResult keep(
            Path file, Path partial, Selection.Matching files, TransferSettings settings, Verdict verdict)
            throws IOException, InterruptedException {
        Into into =
                (blockSize, executor) -> new Receiver(new StoredWriter(file, partial, blockSize), blockSize, executor);
        return transfer(files, into, settings, Storable.of(settings.toSendOptions()), verdict);
    }

    /** Asked before what was received is moved to its place. */
    @FunctionalInterface
    public interface Verdict {
        /** @throws IOException if it is not to be */
        void on(SendReport sent) throws IOException;
    }

    private interface Into {
        Receiver receiver(int blockSize, Executor executor) throws IOException;
    }

    private TransferResult transfer(
            Selection files, Into into, TransferSettings settings, SendOptions options, Verdict verdict)
            throws IOException, InterruptedException {
        Ends ends;
        try {
            ends = receive(files, into, settings, options, verdict);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            running.failed(e);
            throw e;
        }
        ReceiveReport received = files instanceof Selection.Named
                ? ends.received
                : ends.received.counted(ends.sent.entries(), ends.sent.contentBytes());
        return running.completed(ends.sent, received);
    }

    private Ends receive(Selection files, Into into, TransferSettings settings, SendOptions wanted, Verdict verdict)
            throws IOException, InterruptedException {
        SendOptions options = Decodable.of(wanted, log);
        AgentFacts facts = AskAgent.about(workspace.getChannel());
        Pipe credits = Pipe.createLocalToRemote();
        try (Receiver receiver = into.receiver(options.blockSize(), Computer.threadPoolForRemoting);
                DirectAccess direct = DirectAccess.open(
                        settings.directLane(), workspace.getChannel(), facts, receiver::direct, running)) {
            ArrayList<RemoteOutputStream> lanes = Stream.generate(receiver::newLane)
                    .map(running::lane)
                    .map(RemoteOutputStream::new)
                    .limit(Math.min(settings.lanes(), facts.roundTrip().lanes()))
                    .collect(Collectors.toCollection(ArrayList::new));
            SendFiles send = new SendFiles(files, options, lanes, credits, receiver.credit(), facts, direct.offer());
            try (AgentCall<SendReport> agent = new AgentCall<>(
                    workspace.actAsync(send), reason -> Messages.AgentTransfer_failed(workspace.getRemote(), reason))) {
                ReceiveReport received = receiver.receive(credits.getOut(), agent);
                SendReport sent = agent.report();
                verdict.on(sent);
                receiver.commit();
                received.remarks().forEach(remark -> log.println(LogLine.oneLine(describe(remark))));
                direct.learn(sent.direct(), log);
                sent.unusable().forEach(lacking -> log.println(LogLine.oneLine(describe(lacking))));
                return new Ends(sent, received);
            }
        }
    }

    static String describe(CodecProbe.Unusable lacking) {
        String codec = lacking.codec().symbol();
        return lacking.replacement() == null
                ? Messages.AgentTransfer_agentLacks(codec, lacking.reason())
                : Messages.AgentTransfer_agentReplaces(
                        codec, lacking.replacement().symbol(), lacking.reason());
    }

    static String describe(Remark remark) {
        return switch (remark.kind()) {
            case LINK_LEFT_OUT -> Messages.AgentTransfer_linkLeftOut(remark.count(), remark.name(), remark.reason());
            case NAME_TAKEN -> Messages.AgentTransfer_nameTaken(remark.count(), remark.name());
        };
    }
}
