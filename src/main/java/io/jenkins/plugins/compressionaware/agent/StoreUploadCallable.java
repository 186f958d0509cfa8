package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Stores files from the agent's workspace in a store, by requests that the controller signs.
 *
 * @param upload the controller's end
 * @param isArchive whether the controller indexes the files
 * @param uplinkNanosPerByte cost of an earlier transfer to the store; NaN if unknown
 * @param id see {@link AgentEnd}
 */
@Restricted(NoExternalUse.class)
public record StoreUploadCallable(
        FileSelection files, SendOptions options, Upload upload, boolean isArchive, double uplinkNanosPerByte, long id)
        implements ControllerToAgentFileCallable<StoreSender.Stored> {
    /** The controller's end. Calls it only where a call is necessary. */
    public static final class Upload implements StoreUpload, Serializable {
        private static final long serialVersionUID = 1L;

        private final StoreUpload controller;
        private final PartChecksum checksum;

        /** @param controller exported to the agent */
        public Upload(StoreUpload controller, PartChecksum checksum) {
            this.controller = controller;
            this.checksum = checksum;
        }

        @Override
        public PartChecksum checksum() {
            return checksum;
        }

        @Override
        public SignedRequest[] sign(ObjectPart[] parts) throws IOException {
            return controller.sign(parts);
        }

        @Override
        public String begin(String name) throws IOException {
            return controller.begin(name);
        }

        @Override
        public byte[] end(byte[] listing) throws IOException {
            return controller.end(listing);
        }
    }

    @Override
    public StoreSender.Stored invoke(File workspace, VirtualChannel channel) throws IOException, InterruptedException {
        try (AgentEnd end = AgentEnd.begin(id)) {
            return StoreSender.send(
                    workspace.toPath(), files.list(workspace), options, upload, isArchive, uplinkNanosPerByte, end);
        }
    }
}
