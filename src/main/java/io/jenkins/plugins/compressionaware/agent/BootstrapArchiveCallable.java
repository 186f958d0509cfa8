package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.TreeSet;
import java.util.zip.InflaterInputStream;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends files from an agent that does not have the engine yet, or a small stash, in the engine's wire format but using only the JDK, so a small archive loads
 * just this class, {@link BootstrapFrames} and {@link TarHeader}. The controller continues where the call stopped, with another call or with the engine. Frames
 * and result arrive through the lane, so the controller unpacks while the call runs and need not wait for its return.
 *
 * <p>A fresh JVM takes about a millisecond per class. Therefore these classes have no nested class, lambda, record, stream or string concatenation, and leave
 * special cases, such as unreadable files, to the engine.
 */
@Restricted(NoExternalUse.class)
public final class BootstrapArchiveCallable implements ControllerToAgentFileCallable<Void> {
    private static final long serialVersionUID = 1L;

    /**
     * Bytes of the result, the last ones in the lane: offset in the names at which to continue (int), 1 if the engine must continue (byte), entries (int),
     * content bytes (long), nanoseconds of work without waiting for the lane (long), wire bytes before the result (long). By the last number, the controller
     * recognizes a failed call, which ends with part of a frame.
     */
    public static final int RESULT_LENGTH = 2 * Integer.BYTES + 1 + 3 * Long.BYTES;

    /** Level of gzip for archives. It takes 9 ns per byte of source text, and compresses the text to 25 %. */
    public static final int LEVEL = 4;

    /** Level of gzip for a stash, as in core, because a stash is read more often than written. */
    public static final int STASH_LEVEL = 6;

    /** Maximum block size, bytes. */
    public static final int BLOCK = 256 * 1024;

    /** Maximum wire bytes after which a call ends. */
    public static final int TARGET_WIRE_BYTES = 4 << 20;

    /** Nanoseconds after which a call ends, because the controller may have given up. */
    private static final long TIME_LIMIT_NANOS = 1_000_000_000;

    /** Maximum size of a file, bytes. A file is read into memory as a whole, so that a shrinking file cannot damage the stream. */
    private static final int MAX_FILE_BYTES = 2 << 20;

    /** Maximum wire bytes of a call, as a multiple of its limit, because the last file, with headers and long names, can exceed the limit. */
    public static final int MAX_OVERSHOOT = 3;

    /** Bytes of files from which the engine pays off. The engine sends 80 MB/s, calls send 30, but the engine's start keeps both ends busy for 0.2 to 0.4 s. */
    static final long ENGINE_THRESHOLD_BYTES = 20 << 20;

    private static final int MAX_STASHED_FILES = 1_000;

    /** Nanoseconds to spend on adding up file sizes, because the file system may be slow. */
    private static final long SIZE_SCAN_NANOS = 20_000_000;

    @CheckForNull
    private final byte[] deflated;

    private final String includes;
    private final String excludes;
    private final boolean useDefaultExcludes;
    private final int from;
    private final int firstBlock;
    private final int blockSize;
    private final int targetWireBytes;
    private final RemoteOutputStream lane;

    private transient BootstrapFrames frames;
    private transient byte[] names;
    private transient int done;
    private transient boolean inLargeFile;
    private transient int entries;
    private transient long contentBytes;

    /**
     * Sends files of an archive.
     *
     * @param deflated deflated names of the files, in this order: each name in the archive, then its path in the workspace, empty if equal; both as
     *     {@link java.io.DataOutput} writes them. A map would take a fresh JVM 10 ms per thousand names
     * @param from offset in the inflated names at which to begin, bytes
     * @param blockSize maximum block size, bytes; at most {@link #BLOCK}
     * @param targetWireBytes wire bytes after which the call ends, at most {@link #TARGET_WIRE_BYTES}; it can exceed them {@link #MAX_OVERSHOOT} times
     * @param lane receives the frames and then the result; closed by the call
     */
    public BootstrapArchiveCallable(
            byte[] deflated, int from, int firstBlock, int blockSize, int targetWireBytes, RemoteOutputStream lane) {
        this.deflated = deflated;
        this.from = from;
        this.firstBlock = firstBlock;
        this.blockSize = blockSize;
        this.targetWireBytes = targetWireBytes;
        this.lane = lane;
        includes = null;
        excludes = null;
        useDefaultExcludes = false;
    }

    /**
     * Sends all files of a stash, or nothing. The controller keeps the blocks as they arrive.
     *
     * @param includes Ant patterns, separated by commas
     * @param excludes Ant patterns to exclude; null for none
     * @param targetWireBytes maximum bytes of contents, because other results of the agent wait until these are sent
     */
    public BootstrapArchiveCallable(
            String includes,
            @CheckForNull String excludes,
            boolean useDefaultExcludes,
            int blockSize,
            int targetWireBytes,
            RemoteOutputStream lane) {
        this.includes = includes;
        this.excludes = excludes;
        this.useDefaultExcludes = useDefaultExcludes;
        this.blockSize = blockSize;
        this.targetWireBytes = targetWireBytes;
        this.lane = lane;
        deflated = null;
        from = 0;
        firstBlock = 0;
    }

    @Override
    public Void invoke(File workspace, VirtualChannel channel) throws IOException {
        try {
            if (deflated == null) {
                // gives up soon: the engine, which then sends the files, searches again
                FileFinder finder = new FileFinder(MAX_STASHED_FILES);
                stash(workspace, finder.find(workspace, includes, excludes, useDefaultExcludes), lane);
            } else {
                try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
                    send(workspace, in.readAllBytes(), lane);
                }
            }
            return null;
        } finally {
            lane.close();
        }
    }

    void stash(File workspace, @CheckForNull TreeSet<String> found, OutputStream to) throws IOException {
        if (found == null) {
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream paths = new DataOutputStream(bytes);
        for (String path : found) {
            paths.writeUTF(FileFinder.name(path));
            paths.writeUTF(path);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        if (send(workspace, bytes.toByteArray(), whole)) {
            whole.writeTo(to);
        }
    }

    /**
     * Sends the files.
     *
     * @param to receives the frames and then the result
     * @return whether all files are sent, so that the frames include the end frame
     */
    boolean send(File workspace, byte[] allNames, OutputStream to) throws IOException {
        long start = System.nanoTime();
        names = allNames;
        done = from;
        DataInputStream in = unread();
        frames = new BootstrapFrames(to, firstBlock, blockSize, deflated == null);
        boolean needsEngine = isWorthEngine(workspace);
        try {
            boolean over = false;
            while (!needsEngine && !over && done < names.length) {
                String name = in.readUTF();
                String path = in.readUTF();
                if (send(file(workspace, name, path), name)) {
                    done = names.length - in.available();
                } else {
                    needsEngine = true;
                }
                over = frames.bytes() >= targetWireBytes || System.nanoTime() - start >= TIME_LIMIT_NANOS;
            }
            if (done == names.length) {
                frames.append(new byte[TarHeader.TRAILER_LENGTH]);
            }
            frames.endBlock();
            if (done == names.length) {
                frames.frame();
            }
        } finally {
            frames.close();
        }
        byte[] result = new byte[RESULT_LENGTH];
        ByteBuffer.wrap(result)
                .putInt(done)
                .put((byte) (needsEngine ? 1 : 0))
                .putInt(entries)
                .putLong(contentBytes)
                .putLong(System.nanoTime() - start - frames.waited())
                .putLong(frames.wireBytes());
        frames.finish(result);
        return done == names.length;
    }

    private DataInputStream unread() {
        return new DataInputStream(new ByteArrayInputStream(names, done, names.length - done));
    }

    /** Returns whether the engine pays off, judged by the file sizes that a short scan finds. */
    private boolean isWorthEngine(File workspace) throws IOException {
        DataInputStream in = unread();
        long end = System.nanoTime() + SIZE_SCAN_NANOS;
        long size = 0;
        long threshold = deflated == null ? targetWireBytes + 1L : ENGINE_THRESHOLD_BYTES;
        while (size < threshold && in.available() > 0 && System.nanoTime() - end < 0) {
            String name = in.readUTF();
            String path = in.readUTF();
            long bytes = file(workspace, name, path).length();
            size += bytes > maxFileBytes() ? threshold : bytes; // such a file needs the engine
        }
        return size >= threshold;
    }

    /** Returns a path in the workspace, even for one with a leading slash, as core's {@code ExplicitlySpecifiedDirScanner} does. */
    private static File file(File workspace, String name, String path) {
        return new File(workspace, path.isEmpty() ? name : path);
    }

    private int maxFileBytes() {
        return Math.min(MAX_FILE_BYTES, targetWireBytes);
    }

    /** Sends a file, link or folder. Returns false if nothing was sent because the engine must handle the file. */
    private boolean send(File file, String name) throws IOException {
        BasicFileAttributes attributes;
        String target = "";
        byte[] content = {};
        try {
            Path path = file.toPath();
            attributes = File.pathSeparatorChar == ':'
                    ? Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isSymbolicLink()) {
                target = Files.readSymbolicLink(path).toString();
            } else if (attributes.isRegularFile()) {
                content = read(file);
            } else if (!attributes.isDirectory()) {
                return false;
            }
        } catch (IOException | RuntimeException e) {
            return false;
        }
        if (content == null) {
            return false;
        }
        boolean large = content.length >= blockSize / 4;
        if (large || inLargeFile) {
            frames.endBlock(); // so that a jar never shares a block with a log
        }
        inLargeFile = large;
        if (attributes.isSymbolicLink()) {
            frames.append(TarHeader.ofLink(name, target, attributes));
        } else {
            frames.append(TarHeader.of(attributes.isDirectory() ? name.concat("/") : name, content.length, attributes));
            frames.append(content);
            frames.append(TarHeader.padding(content.length));
        }
        entries++;
        contentBytes += content.length;
        return true;
    }

    /** Returns the content of a file; null if the file is too large or shrinks. Uses the size of the opened file. */
    private byte[] read(File file) throws IOException {
        try (InputStream in = new FileInputStream(file)) {
            int size = in.available();
            if (size > maxFileBytes()) {
                return null;
            }
            byte[] content = new byte[size];
            return in.readNBytes(content, 0, size) == size ? content : null;
        }
    }
}
