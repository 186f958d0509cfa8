package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Pipe;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Downloads a frame file to the agent and unpacks it in the workspace. No record, see {@link UploadCallable}. */
@Restricted(NoExternalUse.class)
public final class DownloadCallable implements ControllerToAgentFileCallable<DownloadReport> {
    private static final long serialVersionUID = 1L;

    private final long length;
    private final int maxBlock;
    private final ArrayList<Pipe> lanes;
    private final Pipe rangeRequests;
    private final DirectLaneOffer direct;
    private final boolean followLinks;
    private final long id;
    private final int complete;

    /**
     * @param length size of the file's frames, bytes
     * @param maxBlock size of the file's largest block, bytes
     * @param lanes receive the requested ranges
     * @param rangeRequests sends range requests to the controller
     * @param direct offer of direct lanes; null if there is none
     * @param followLinks see {@link Workspace}
     * @param id see {@link AgentEnd}
     * @param complete see {@link TarUnpacker#skipFiles}
     */
    public DownloadCallable(
            long length,
            int maxBlock,
            ArrayList<Pipe> lanes,
            Pipe rangeRequests,
            @CheckForNull DirectLaneOffer direct,
            boolean followLinks,
            long id,
            int complete) {
        this.length = length;
        this.maxBlock = maxBlock;
        this.lanes = lanes;
        this.rangeRequests = rangeRequests;
        this.direct = direct;
        this.followLinks = followLinks;
        this.id = id;
        this.complete = complete;
    }

    @Override
    public DownloadReport invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        List<InputStream> ins = lanes.stream().map(Pipe::getIn).toList();
        try (AgentEnd end = AgentEnd.begin(id);
                FrameFileDownloader downloader = new FrameFileDownloader(SelectedFiles.all(length), maxBlock)) {
            end.follow(downloader);
            return downloader.fetch(workspace.toPath(), ins, rangeRequests.getOut(), direct, followLinks, complete);
        } finally {
            for (InputStream in : ins) {
                in.close();
            }
            // writes to the channel, so only after the end, which can be interrupted
            rangeRequests.getOut().close();
        }
    }
}
