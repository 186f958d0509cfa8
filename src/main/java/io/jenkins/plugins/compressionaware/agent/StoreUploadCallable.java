package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.File;
import java.io.IOException;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Stores files from the agent's workspace in a store, by requests that the controller signs.
 *
 * @param upload the controller's end, exported to the agent
 * @param checksum what the store verifies
 * @param isArchive whether the controller indexes the files
 * @param id see {@link AgentEnd}
 */
@Restricted(NoExternalUse.class)
public record StoreUploadCallable(
        FileSelection files, SendOptions options, StoreUpload upload, PartChecksum checksum, boolean isArchive, long id)
        implements ControllerToAgentFileCallable<StoreSender.Stored> {
    @Override
    public StoreSender.Stored invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        try (AgentEnd end = AgentEnd.begin(id)) {
            return StoreSender.send(
                    workspace.toPath(), files.list(workspace), options, upload, checksum, isArchive, end);
        }
    }

    /** Remoting needs a text before each call, and the component that the controller exports has none. */
    @Override
    public String toString() {
        return "Stores " + files;
    }
}
