package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Unpacks a small stash that is sent with the call. The stash is not trusted, because another agent made it. No record, see {@link UploadCallable}. */
@Restricted(NoExternalUse.class)
public final class BootstrapUnstashCallable implements ControllerToAgentFileCallable<ReceiveReport> {
    private static final long serialVersionUID = 1L;

    private final byte[] tar;
    private final boolean followLinks;

    /**
     * @param tar tar in one or more gzip members
     * @param followLinks see {@link Workspace}
     */
    public BootstrapUnstashCallable(byte[] tar, boolean followLinks) {
        this.tar = tar;
        this.followLinks = followLinks;
    }

    @Override
    public ReceiveReport invoke(File folder, VirtualChannel channel) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(tar))) {
            TarUnpacker unpacker = new TarUnpacker(new Workspace(folder.toPath(), followLinks), null, DiskHelpers.NONE);
            unpacker.unpack(in);
            return new ReceiveReport(
                    new Figures(unpacker.entries(), unpacker.contentBytes(), 0, 0, 0, 0, 0, 0, -1),
                    unpacker.warnings(),
                    0);
        }
    }
}
