package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.VirtualChannel;
import hudson.util.DirScanner;
import hudson.util.FileVisitor;
import io.jenkins.plugins.compressionaware.tar.FlatFiles;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * Runs on an agent that has not the engine, in the workspace: answers with the files of a small stash, in the form of {@link FlatFiles}, deflated. What is
 * too much, not plain or cannot be read is left to {@link SendFiles}, so that its rules and messages apply.
 *
 * <p>As in {@link HeadStart}, nothing here needs more classes than it must; so it also is its own visitor. Constants of {@link FlatFiles} are part of the code.
 */
final class StashLittle extends FileVisitor implements ControllerToAgentFileCallable<byte[]> {
    private static final long serialVersionUID = 1L;

    /** Contents, bytes: other answers of the agent wait meanwhile, as they would for one file of core's. */
    static final int MOST_BYTES = 1 << 20;

    static final int MOST_FILES = 1_000;

    /** Everything before it is deflated, with names as long as they may be, bytes. */
    static final int MOST_FLAT = 4 << 20;

    private static final byte[] NOTHING = {};

    @CheckForNull
    private final String includes;

    @CheckForNull
    private final String excludes;

    private final boolean useDefaultExcludes;
    private transient TreeMap<String, File> found;
    private transient long bytes;

    StashLittle(Selection.Matching files) {
        includes = files.antIncludes();
        excludes = files.excludes();
        useDefaultExcludes = files.useDefaultExcludes();
    }

    /** Empty if everything is to be done in the usual way. */
    @Override
    public byte[] invoke(File workspace, VirtualChannel channel) throws IOException {
        found = new TreeMap<>();
        new DirScanner.Glob(includes, excludes, useDefaultExcludes).scan(workspace, this);
        if (bytes > MOST_BYTES || found.size() > MOST_FILES) {
            return NOTHING;
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(FlatFiles.LEVEL);
        try {
            DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(answer, deflater));
            Iterator<Map.Entry<String, File>> each = found.entrySet().iterator();
            while (each.hasNext()) {
                Map.Entry<String, File> file = each.next();
                if (!write(file.getKey(), file.getValue().toPath(), out) || out.size() >= MOST_FLAT) {
                    return NOTHING;
                }
            }
            out.writeByte(FlatFiles.END);
            out.close();
            return answer.toByteArray();
        } catch (IOException | RuntimeException e) {
            return NOTHING;
        } finally {
            deflater.end();
        }
    }

    @Override
    public void visit(File file, String path) {
        bytes += file.length();
        add(file, path);
    }

    @Override
    public void visitSymlink(File link, String target, String path) {
        add(link, path);
    }

    @Override
    public boolean understandsSymlink() {
        return true;
    }

    private void add(File file, String path) {
        if (found.size() > MOST_FILES) {
            return;
        }
        // core does so before it writes a name into a tar
        found.put(File.separatorChar == '\\' ? path.replace('\\', '/') : path, file);
    }

    private static boolean write(String name, Path path, DataOutputStream out) throws IOException {
        BasicFileAttributes attributes = File.pathSeparatorChar == ':'
                ? Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        long millis = attributes.lastModifiedTime().toMillis();
        if (attributes.isSymbolicLink()) {
            out.writeByte(FlatFiles.LINK);
            out.writeUTF(name);
            out.writeUTF(Files.readSymbolicLink(path).toString());
            return true;
        } else if (!attributes.isRegularFile() || attributes.size() > MOST_BYTES || millis < 0) {
            return false;
        }
        byte[] content = new byte[(int) attributes.size()];
        InputStream in = new FileInputStream(path.toFile());
        try {
            if (in.readNBytes(content, 0, content.length) < content.length) {
                return false;
            }
        } finally {
            in.close();
        }
        out.writeByte(FlatFiles.FILE);
        out.writeUTF(name);
        out.writeInt(mode(attributes));
        out.writeLong(millis);
        out.writeInt(content.length);
        out.write(content);
        return true;
    }

    private static int mode(BasicFileAttributes attributes) {
        if (!(attributes instanceof PosixFileAttributes)) {
            return FlatFiles.NO_MODE;
        }
        int mode = 0;
        Iterator<PosixFilePermission> each =
                ((PosixFileAttributes) attributes).permissions().iterator();
        while (each.hasNext()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            mode |= 0400 >> each.next().ordinal();
        }
        return mode;
    }
}
