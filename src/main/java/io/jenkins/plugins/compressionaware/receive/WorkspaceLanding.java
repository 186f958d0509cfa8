package io.jenkins.plugins.compressionaware.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.staging.WorkspaceTree;
import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** Unpacks a tar beside the files of a workspace, then moves everything to its name. Used by one thread. */
final class WorkspaceLanding implements Closeable {
    private final WorkspaceTree tree;
    private final TarUnpacker unpacker;
    private List<LandingWarning> warnings = List.of();

    /** @param temp see {@link WorkspaceTree}, as for {@code followLinks} */
    WorkspaceLanding(Path workspace, @CheckForNull String temp, boolean followLinks, Helpers helpers)
            throws IOException {
        tree = new WorkspaceTree(workspace, temp, followLinks);
        unpacker = new TarUnpacker(tree.folder(), null, helpers, null);
    }

    /** @throws IOException naming the file where there is one; the workspace is as it was before, unless the message says otherwise */
    TarUnpacker unpack(InputStream tar) throws IOException, InterruptedException {
        unpacker.unpack(tar);
        warnings = LandingWarning.all(unpacker.warnings(), tree.commit());
        return unpacker;
    }

    List<LandingWarning> warnings() {
        return warnings;
    }

    /** Removes what was not moved, once no file is written any more: the disk may hang. */
    @Override
    public void close() {
        unpacker.close(tree::close);
    }
}
