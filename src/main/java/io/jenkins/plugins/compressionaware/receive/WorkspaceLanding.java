package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.staging.WorkspaceTree;
import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Unpacks a tar beside the files of a workspace, then moves everything to its name. Used by one thread. */
final class WorkspaceLanding implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(WorkspaceLanding.class.getName());

    private final WorkspaceTree tree;
    private final TarUnpacker unpacker;

    /**
     * @param followLinks see {@link WorkspaceTree}
     */
    WorkspaceLanding(Path workspace, boolean followLinks, Helpers helpers) throws IOException {
        tree = new WorkspaceTree(workspace, followLinks);
        unpacker = new TarUnpacker(tree.folder(), helpers);
    }

    /** @throws IOException naming the file where there is one; the workspace is as it was before, unless the message says otherwise */
    TarUnpacker unpack(InputStream tar) throws IOException {
        unpacker.unpack(tar);
        tree.commit();
        return unpacker;
    }

    /** Removes what was not moved, once no file is written any more: the disk may hang. */
    @Override
    public void close() {
        unpacker.close(() -> {
            try {
                tree.close();
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + tree.folder() + ", which is not needed any more");
            }
        });
    }
}
