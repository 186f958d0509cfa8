package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import io.jenkins.plugins.compressionaware.tar.Workspace;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.List;
import java.util.zip.InflaterInputStream;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a small stash that comes with the call. It may be from an agent that is hostile to this one.
 *
 * @param tar         deflated
 * @param followLinks see {@link Workspace}
 */
@Restricted(NoExternalUse.class)
public record SmallUnstash(byte[] tar, boolean followLinks)
        implements ControllerToAgentFileCallable<SmallUnstash.Done> {
    /** What was unpacked: number of entries, and bytes of their contents. */
    public record Done(long entries, long contentBytes, List<LandingWarning> warnings) implements Serializable {}

    /** See {@link Workspace#unpack}; null if the engine has to begin anew. */
    @Override
    @CheckForNull
    public Done invoke(File folder, VirtualChannel channel) {
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(tar))) {
            Workspace workspace = new Workspace(folder.toPath(), followLinks);
            long[] done = workspace.unpack(in);
            return new Done(done[0], done[1], workspace.warnings());
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }
}
