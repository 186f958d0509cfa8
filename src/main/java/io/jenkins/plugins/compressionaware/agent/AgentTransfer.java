package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Future;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.report.Summary;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.tar.Remark;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One transfer from an agent over its channel. The calling thread unpacks. */
public final class AgentTransfer {
    /** How long bytes may still be on their way when the agent's call has returned, nanoseconds. */
    private static final long LAST_BYTES = TimeUnit.MINUTES.toNanos(2);

    private final FilePath workspace;
    private final PrintStream log;

    public AgentTransfer(FilePath workspace, PrintStream log) {
        this.workspace = workspace;
        this.log = log;
    }

    /**
     * Transfers all files or none.
     *
     * @param files name in the archive to path in the workspace
     */
    public Summary archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.toSendOptions();
        SendOptions options = wanted.with(whatTheControllerCanDecode(wanted.compression()));
        AgentFacts link = AgentFacts.of(workspace.getChannel());
        Pipe credits = Pipe.createLocalToRemote();
        try (Receiver receiver =
                        new Receiver(archive, files.keySet(), options.blockSize(), Computer.threadPoolForRemoting);
                DirectAccess direct =
                        DirectAccess.open(settings.directLane(), workspace.getChannel(), receiver, link)) {
            ArrayList<RemoteOutputStream> lanes = Stream.generate(receiver::newLane)
                    .map(RemoteOutputStream::new)
                    .limit(Math.min(settings.lanes(), link.lanes()))
                    .collect(Collectors.toCollection(ArrayList::new));
            Future<SendReport> sending = workspace.actAsync(
                    new SendFiles(new HashMap<>(files), options, lanes, credits, link, direct.offer()));
            try {
                ReceiveReport received = receiver.receive(credits.getOut(), watch(sending));
                SendReport sent = reportOf(sending);
                receiver.commit();
                received.remarks().forEach(remark -> log.println(describe(remark)));
                direct.learn(sent.direct(), log);
                if (sent.remark() != null) {
                    log.println(sent.remark());
                }
                return new Summary(sent, received, lanes.size());
            } finally {
                cancel(sending);
            }
        }
    }

    // by another thread: it is a write to the channel, which waits if the agent does not read
    private static void cancel(Future<SendReport> sending) {
        if (!sending.isDone()) {
            Computer.threadPoolForRemoting.execute(() -> sending.cancel(true));
        }
    }

    static String describe(Remark remark) {
        return switch (remark.kind()) {
            case LINK_LEFT_OUT -> Messages.AgentTransfer_linkLeftOut(remark.count(), remark.name(), remark.reason());
            case NAME_TAKEN -> Messages.AgentTransfer_nameTaken(remark.count(), remark.name());
        };
    }

    private Compression whatTheControllerCanDecode(Compression wanted) {
        if (wanted instanceof Compression.Auto auto) {
            EnumSet<Codec> usable = EnumSet.copyOf(auto.usable());
            usable.removeIf(codec -> CodecProbe.problem(codec).isPresent());
            return new Compression.Auto(auto.minLevel(), auto.maxLevel(), usable);
        }
        Codec codec = ((Compression.Fixed) wanted).choice().codec();
        Codec usable = codec;
        for (Optional<String> problem = CodecProbe.problem(usable);
                problem.isPresent() && usable != Codec.GZIP;
                problem = CodecProbe.problem(usable)) {
            Codec lesser = CodecProbe.lesser(usable);
            log.println(Messages.AgentTransfer_controllerLacks(usable.symbol(), lesser.symbol(), problem.get()));
            usable = lesser;
        }
        return usable == codec ? wanted : new Compression.Fixed(new Choice(usable, usable.defaultLevel()));
    }

    private SenderWatch watch(Future<SendReport> sending) {
        return new SenderWatch() {
            private long returned;

            @Override
            public void check() throws IOException, InterruptedException {
                if (!sending.isDone()) {
                    return;
                }
                reportOf(sending);
                // the call may return before its last bytes arrive: seen on TCP channels
                long now = System.nanoTime();
                if (returned == 0) {
                    returned = now;
                } else if (now - returned > LAST_BYTES) {
                    throw new IOException(Messages.AgentTransfer_noEnd());
                }
            }
        };
    }

    private SendReport reportOf(Future<SendReport> sending) throws IOException, InterruptedException {
        try {
            return sending.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(Messages.AgentTransfer_failed(workspace.getRemote(), cause.getMessage()), cause);
        }
    }
}
