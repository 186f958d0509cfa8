package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.send.CodecSource;
import io.jenkins.plugins.compressionaware.send.Route;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * Runs on the agent, in the workspace.
 *
 * @param files   which files to send
 * @param id      property of the agent's channel that has them meanwhile, for {@link TotalSize}
 * @param lanes   lead to the controller's receiver
 * @param credits the other way: how much the receiver has consumed
 * @param credit  what the receiver lets it begin with
 * @param facts   what is known about the channel and the agent's machine
 * @param direct  a way beside the lanes; null if there is none
 * @param bell   to be rung when the codec libraries are wanted; null if they come without that
 * @param headStart id of the {@link HeadStart} that this takes over from; null if there is none
 */
record SendFiles(
        Selection files,
        String id,
        SendOptions options,
        ArrayList<RemoteOutputStream> lanes,
        Pipe credits,
        long credit,
        AgentFacts facts,
        DirectOffer direct,
        @CheckForNull RemoteOutputStream bell,
        @CheckForNull String headStart)
        implements ControllerToAgentFileCallable<SendReport> {
    @Override
    public SendReport invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        Channel own = Channel.currentOrFail();
        try {
            HeadStart head = headStart == null ? null : HeadStart.takeOver(own, headStart);
            Map<String, String> rest = rest(workspace, head);
            own.setProperty(id, rest);
            return Sender.send(
                    workspace.toPath(),
                    rest,
                    options,
                    new Route(
                            lanes,
                            credits.getIn(),
                            credit,
                            facts.roundTrip().nanos(),
                            facts.sharedProcessors(),
                            direct,
                            seen(head),
                            bell == null ? null : new CodecSource(CodecJar.LENGTH, this::ring)));
        } finally {
            own.setProperty(id, null);
            // this also takes the receiver out of the controller's table of exported objects
            for (RemoteOutputStream lane : lanes) {
                lane.close();
            }
            if (bell != null) {
                bell.close();
            }
        }
    }

    @CheckForNull
    private static LaneWrite seen(@CheckForNull HeadStart head) {
        return head == null || head.linkBytes() == 0
                ? null
                : new LaneWrite(head.linkBytes(), head.linkNanos(), 0, head.workNanos());
    }

    private void ring() {
        try {
            bell.write(1);
        } catch (IOException e) {
            // so it goes on without them
        }
    }

    private Map<String, String> rest(File workspace, @CheckForNull HeadStart head)
            throws IOException, InterruptedException {
        Map<String, String> all = files.in(workspace);
        if (headStart == null) {
            return all;
        }
        if (head == null) {
            return Map.of();
        }
        TreeMap<String, String> rest = new TreeMap<>(all);
        for (int sent = head.entries(); sent > 0 && !rest.isEmpty(); sent--) {
            rest.pollFirstEntry();
        }
        return rest;
    }
}
