package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Pipe;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs on the agent, in the workspace.
 *
 * @param length   of the stored file's frames, bytes
 * @param maxBlock bytes of its largest block
 * @param lanes    bring the ordered bytes
 * @param orders   takes the orders to the controller
 * @param direct   offer of direct lanes; null if there is none
 * @param followLinks see {@link Workspace}
 * @param id       see {@link AgentEnd}
 */
@Restricted(NoExternalUse.class)
public record DownloadCallable(
        long length,
        int maxBlock,
        ArrayList<Pipe> lanes,
        Pipe orders,
        @CheckForNull DirectLaneOffer direct,
        boolean followLinks,
        long id)
        implements ControllerToAgentFileCallable<DownloadReport> {
    @Override
    public DownloadReport invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        List<InputStream> ins = lanes.stream().map(Pipe::getIn).toList();
        try (AgentEnd end = AgentEnd.begin(id);
                OutputStream out = orders.getOut();
                FrameFileDownloader fetcher = new FrameFileDownloader(length, maxBlock)) {
            end.follow(fetcher);
            return fetcher.fetch(workspace.toPath(), ins, out, direct, followLinks);
        } finally {
            // this thread writes the answer: if it were still interrupted, remoting would send only a part over
            // a WebSocket, and the other end would take the next command, of any build, for the rest
            Thread.interrupted();
            for (InputStream in : ins) {
                in.close();
            }
        }
    }
}
