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
 * Unpacks a small stash that is sent with the call. The stash may be from a hostile agent.
 *
 * @param tar         the deflated tar
 * @param followLinks see {@link Workspace}
 */
@Restricted(NoExternalUse.class)
public record SmallUnstash(byte[] tar, boolean followLinks)
        implements ControllerToAgentFileCallable<SmallUnstash.Done> {
    /** The result: number of unpacked entries, and bytes of their contents. */
    public record Done(long entries, long contentBytes, List<LandingWarning> warnings) implements Serializable {}

    /** Unpacks the tar, see {@link Workspace#unpack}; returns null if the engine must start again. */
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
