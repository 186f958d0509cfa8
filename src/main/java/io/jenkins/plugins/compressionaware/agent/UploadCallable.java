package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.SendTarget;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends files from the agent's workspace with the engine. For an archive, the serialized call contains no record, because deserializing records took a fresh
 * JVM 80 ms.
 */
@Restricted(NoExternalUse.class)
public final class UploadCallable implements ControllerToAgentFileCallable<SendReport> {
    private static final long serialVersionUID = 1L;

    private final FileSelection files;
    private final SendOptions options;
    private final ArrayList<RemoteOutputStream> lanes;
    private final Pipe credits;
    private final long credit;
    private final long spentCredit;
    private final long firstFrame;
    private final long roundTripNanos;
    private final double uplinkNanosPerByte;
    private final int sharedProcessors;
    private final DirectLaneOffer direct;
    private final byte[] signature;
    private final long id;

    /**
     * See {@link SendTarget} for the other parameters.
     *
     * @param files files to send
     * @param lanes lead to the controller's receiver
     * @param credits receives the controller's credit grants
     * @param direct offer of direct lanes; null if there is none
     * @param signature signature of the reference build's archive; null if no delta is offered
     * @param id see {@link AgentEnd}
     */
    public UploadCallable(
            FileSelection files,
            SendOptions options,
            ArrayList<RemoteOutputStream> lanes,
            Pipe credits,
            long credit,
            long spentCredit,
            long firstFrame,
            long roundTripNanos,
            double uplinkNanosPerByte,
            int sharedProcessors,
            @CheckForNull DirectLaneOffer direct,
            @CheckForNull byte[] signature,
            long id) {
        this.files = files;
        this.options = options;
        this.lanes = lanes;
        this.credits = credits;
        this.credit = credit;
        this.spentCredit = spentCredit;
        this.firstFrame = firstFrame;
        this.roundTripNanos = roundTripNanos;
        this.uplinkNanosPerByte = uplinkNanosPerByte;
        this.sharedProcessors = sharedProcessors;
        this.direct = direct;
        this.signature = signature;
        this.id = id;
    }

    @Override
    public SendReport invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        try (AgentEnd end = AgentEnd.begin(id);
                Closeable writes = ChannelWrites.endWithChannel(Channel.current(), end.writes())) {
            return Sender.send(
                    workspace.toPath(),
                    files.list(workspace),
                    options,
                    new SendTarget(
                            lanes,
                            credits.getIn(),
                            credit,
                            spentCredit,
                            firstFrame,
                            roundTripNanos,
                            uplinkNanosPerByte,
                            sharedProcessors,
                            direct,
                            end),
                    signature);
        } finally {
            // closing also removes the receiver from the controller's table of exported objects
            for (RemoteOutputStream lane : lanes) {
                lane.close();
            }
        }
    }
}
