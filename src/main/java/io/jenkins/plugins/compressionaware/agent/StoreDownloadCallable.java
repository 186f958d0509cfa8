package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReaders;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Downloads files of a frame file from a store to the agent and unpacks them in the workspace.
 *
 * @param signer exported to the agent
 * @param objects the object with the frames, and those of selected files
 * @param selected files to download
 * @param maxBlock size of the file's largest block, bytes
 * @param followLinks see {@link Workspace}
 * @param refuseLinks see {@link Workspace}
 * @param id see {@link AgentEnd}
 */
@Restricted(NoExternalUse.class)
public record StoreDownloadCallable(
        ObjectReaders.Signer signer,
        ArrayList<ObjectReaders.Stored> objects,
        SelectedFiles selected,
        int maxBlock,
        boolean followLinks,
        boolean refuseLinks,
        long id)
        implements ControllerToAgentFileCallable<StoreDownloadCallable.Fetched> {
    /** Requests at a time. */
    private static final int LANES = 4;

    public record Fetched(DownloadReport report, HashMap<StoreFailure, Integer> answers) implements Serializable {}

    @Override
    public Fetched invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        try (AgentEnd end = AgentEnd.begin(id);
                FrameFileDownloader downloader = new FrameFileDownloader(selected, maxBlock)) {
            end.follow(downloader);
            Workspace files = new Workspace(workspace.toPath(), followLinks);
            if (refuseLinks) {
                files.refuseLinks();
            }
            ObjectReaders stored = new ObjectReaders(signer, objects);
            return new Fetched(
                    downloader.fetch(files, stored::open, stored::waitsForController, LANES), stored.answers());
        }
    }

    /** Remoting needs a text before each call, and the component that the controller exports has none. */
    @Override
    public String toString() {
        return "Fetches " + selected.wireBytes() + " bytes from a store";
    }
}
