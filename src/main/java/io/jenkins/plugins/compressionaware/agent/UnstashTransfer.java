package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.receive.Fetched;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.StoredSender;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** One transfer of a stored file to an agent, which orders what it wants of it, and unpacks it. */
public final class UnstashTransfer {
    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;

    /**
     * @param running the transfer, just started; this ends it
     */
    public UnstashTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
    }

    /**
     * Unpacks all files or none.
     */
    public TransferResult run(StoredFrames file, TransferSettings settings) throws IOException, InterruptedException {
        Fetched fetched;
        try {
            fetched = fetch(file, settings);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            running.failed(e);
            throw e;
        }
        return running.completed(stored(fetched), fetched.received());
    }

    private Fetched fetch(StoredFrames file, TransferSettings settings) throws IOException, InterruptedException {
        running.expectWire(file.wireBytes());
        AgentFacts facts = AskAgent.about(workspace.getChannel());
        Pipe orders = Pipe.createRemoteToLocal();
        ArrayList<Pipe> lanes = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = Math.min(settings.lanes(), facts.roundTrip().lanes()); i > 0; i--) {
            Pipe lane = Pipe.createLocalToRemote();
            lanes.add(lane);
            outs.add(running.lane(lane.getOut()));
        }
        try (DirectAccess direct =
                DirectAccess.open(settings.directLane(), workspace.getChannel(), facts, file, running)) {
            FetchStash fetch = new FetchStash(file.wireBytes(), file.blockSize(), lanes, orders, direct.offer());
            // the sender is closed first: a call that is broken off may leave it waiting for orders
            try (AgentCall<Fetched> agent =
                            new AgentCall<>(workspace.actAsync(fetch), reason -> explain(file, reason));
                    StoredSender sender =
                            new StoredSender(file, orders.getIn(), outs, Computer.threadPoolForRemoting)) {
                Fetched fetched = agent.report();
                fetched.received()
                        .remarks()
                        .forEach(remark -> log.println(LogLine.oneLine(AgentTransfer.describe(remark))));
                direct.learn(fetched.direct(), log);
                return fetched;
            }
        }
    }

    private String explain(StoredFrames file, String reason) {
        return Messages.UnstashTransfer_failed(
                running.transfer().stash(),
                workspace.getRemote(),
                reason,
                file.file().getFileName());
    }

    /** What there is to say about frames that are sent as they are. */
    private static SendReport stored(Fetched fetched) {
        return new SendReport(
                new ArrayList<>(),
                null,
                new ArrayList<>(),
                fetched.received().entries(),
                fetched.received().contentBytes(),
                fetched.received().wireBytes(),
                0,
                0,
                0,
                0,
                0,
                fetched.direct(),
                -1);
    }
}
