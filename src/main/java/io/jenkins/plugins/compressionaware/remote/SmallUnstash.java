package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.staging.WorkspaceTree;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.InflaterInputStream;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Unpacks a small stash that comes with the call. It may be from an agent that is hostile to this one. The engine gets whatever is not plain, or fails. */
@Restricted(NoExternalUse.class)
public final class SmallUnstash implements ControllerToAgentFileCallable<long[]> {
    private static final long serialVersionUID = 1L;

    private final byte[] tar;

    @CheckForNull
    private final String temp;

    private final boolean followLinks;

    /**
     * @param tar  deflated
     * @param temp see {@link WorkspaceTree}, as for {@code followLinks}
     */
    public SmallUnstash(byte[] tar, @CheckForNull String temp, boolean followLinks) {
        this.tar = tar;
        this.temp = temp;
        this.followLinks = followLinks;
    }

    /** See {@link SmallTar#unpack}; null if the engine has to do everything. */
    @Override
    @CheckForNull
    public long[] invoke(File workspace, VirtualChannel channel) throws InterruptedException {
        try (WorkspaceTree tree = new WorkspaceTree(workspace.toPath(), temp, followLinks);
                InputStream in = new InflaterInputStream(new ByteArrayInputStream(tar))) {
            long[] unpacked = new SmallTar(in, tree.folder()).unpack();
            // with landing warnings, it comes once more through the engine, which reports them
            return tree.commit().isEmpty() ? unpacked : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }
}
