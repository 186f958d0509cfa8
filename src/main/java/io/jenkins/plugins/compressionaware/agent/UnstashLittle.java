package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.staging.WorkspaceTree;
import io.jenkins.plugins.compressionaware.tar.FlatFiles;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.zip.InflaterInputStream;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * Runs on an agent that has no class of this plugin yet, in the workspace: a small stash comes with the call, and this and {@link WorkspaceTree} are
 * all that has to travel. What is not plain, or fails, is left to {@link FetchStash}, so that its rules and messages apply. The stash may be from an agent that is
 * hostile to this one.
 *
 * <p>As in {@link HeadStart}, nothing here needs more classes than it must.
 */
final class UnstashLittle implements ControllerToAgentFileCallable<Boolean> {
    private static final long serialVersionUID = 1L;

    private final byte[] deflated;
    private final boolean followLinks;

    /**
     * @param deflated    see {@link FlatFiles}
     * @param followLinks see {@link WorkspaceTree}
     */
    UnstashLittle(byte[] deflated, boolean followLinks) {
        this.deflated = deflated;
        this.followLinks = followLinks;
    }

    /** False if everything is to be done in the usual way. */
    @Override
    public Boolean invoke(File workspace, VirtualChannel channel) {
        try (WorkspaceTree tree = new WorkspaceTree(workspace.toPath(), followLinks)) {
            unpack(tree.folder());
            tree.commit();
            return Boolean.TRUE;
        } catch (IOException | RuntimeException e) {
            return Boolean.FALSE;
        }
    }

    private void unpack(Path root) throws IOException {
        DataInputStream in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(deflated)));
        for (int kind = in.readByte(); kind != FlatFiles.END; kind = in.readByte()) {
            Path path = root.resolve(in.readUTF());
            Path parent = path.getParent();
            // the controller may be of another system, where the name was a good one
            if (parent == null || !path.startsWith(root) || !path.normalize().equals(path)) {
                throw new IOException();
            }
            if (kind == FlatFiles.FOLDER) {
                makeFolder(root, path);
            } else {
                makeFolder(root, parent);
                if (kind == FlatFiles.LINK) {
                    Files.createSymbolicLink(path, path.getFileSystem().getPath(in.readUTF()));
                } else {
                    write(path, in);
                }
            }
        }
    }

    /** Looks at the disk, from the top: two names may be one there, and a link above a file must not be followed. No folder is ever removed. */
    private static void makeFolder(Path root, Path path) throws IOException {
        if (!path.equals(root)) {
            makeFolder(root, path.getParent());
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(path);
            }
        }
    }

    private static void write(Path path, DataInputStream in) throws IOException {
        int mode = in.readInt();
        long millis = in.readLong();
        byte[] content = new byte[in.readInt()];
        in.readFully(content);
        // fails if something is there, be it a link
        OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (mode != 0 && File.pathSeparatorChar == ':') {
                EnumSet<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
                PosixFilePermission[] all = PosixFilePermission.values();
                for (int i = 0; i < all.length; i++) {
                    // the constants are declared from the owner's read bit (0400) down to the others' execute bit
                    // (0001)
                    if ((mode & 0400 >> i) != 0) {
                        permissions.add(all[i]);
                    }
                }
                Files.setPosixFilePermissions(path, permissions);
            }
            out.write(content);
        } finally {
            out.close();
        }
        if (!path.toFile().setLastModified(millis)) {
            throw new IOException();
        }
    }
}
