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
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;
import java.util.Iterator;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import java.util.zip.InflaterInputStream;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends the first of some files as the engine would send them, or a small stash: frames of tar, made with what the JDK has. A small archive needs only
 * this class and {@link TarHeader} on the agent. The controller goes on from where this has stopped, with another call or with the engine.
 *
 * <p>The frames go into a lane in pieces, and what the call tells at its end, too: the controller need not wait for the call to return. Over a WebSocket
 * the end of each message may wait 40 ms, for an acknowledgement that the controller's TCP delays; remoting acknowledges a piece at once, and TCP with it.
 * So calls are few and long, and the controller unpacks meanwhile.
 *
 * <p>A fresh JVM takes about a millisecond per class, so there is no nested class, lambda, record, stream or string concatenation here, and the few
 * header fields are written by hand. Anything that is not plain, such as a file that cannot be read, is left to the engine with all that follows, so that
 * its rules and messages apply.
 */
@Restricted(NoExternalUse.class)
public final class BootstrapArchiveCallable implements ControllerToAgentFileCallable<Void> {
    private static final long serialVersionUID = 1L;

    /**
     * Bytes of the answer, the last ones of the lane: where in the names to go on (int), 1 if the engine must go on (byte), number of the next block (int), entries (int), bytes of
     * their contents (long), nanoseconds that the work took, without waiting for the lane (long), wire bytes in front of the answer (long): a call that fails
     * ends with some frame.
     */
    public static final int RESULT_LENGTH = 3 * Integer.BYTES + 1 + 3 * Long.BYTES;

    /** Level of gzip: 9 ns per byte of source text, of which 25 % remain; 1 takes 6 ns (29 %), 6 takes 20 ns (23 %). */
    public static final int LEVEL = 4;

    /** Level of gzip for a stash, as in core, because a stash is read more often than written. */
    public static final int STASH_LEVEL = 6;

    /** Most bytes of a block. */
    public static final int BLOCK = 256 * 1024;

    /** Wire bytes after which every call ends. */
    public static final int TARGET_WIRE_BYTES = 4 << 20;

    /** Nanoseconds after which every call ends: the controller may have given up. */
    private static final long TIME_LIMIT_NANOS = 1_000_000_000;

    /** Largest file, if {@code enough} is not less: it is read into memory whole, since a file that shrinks must not spoil the stream. */
    private static final int LARGEST_FILE = 2 << 20;

    /** Most wire bytes of a call, as a multiple of {@code enough}: the largest file may come last, with headers and long names. */
    public static final int MAX_OVERSHOOT = 3;

    /** Wire bytes after which a piece goes out. */
    private static final int FLUSH_BYTES = 128 * 1024;

    /**
     * Bytes of files from which the engine is worth its start, which keeps both ends busy for 0.2 to 0.4 s: it sends 80 MB/s, this class sends 30.
     */
    static final long ENGINE_THRESHOLD_BYTES = 20 << 20;

    /** Most files of a stash. */
    private static final int MOST_STASHED = 1_000;

    /** Nanoseconds to spend on adding up the sizes of files: they may be on a slow file system. */
    private static final long SIZE_SCAN_NANOS = 20_000_000;

    /** Bytes of the gzip member's header and extra field in front of a frame's own header. */
    private static final int GZIP_PREFIX = 16;

    private static final int PREFIX = GZIP_PREFIX + 32;

    /** Places of a block, and bytes of each, that show noise. The beginning alone does not: a jar begins with short entries. */
    private static final int PLACES = 128;

    private static final int RUN = 16;

    @CheckForNull
    private final byte[] deflated;

    private final String includes;
    private final String excludes;
    private final boolean useDefaultExcludes;
    private final int from;
    private final int firstBlock;
    private final int blockSize;
    private final int enough;
    private final RemoteOutputStream lane;

    private transient OutputStream out;
    private transient byte[] names;
    private transient int done;
    private transient byte[] block;
    private transient int filled;
    private transient boolean inLargeFile;
    private transient int blocks;
    private transient int entries;
    private transient long contentBytes;
    private transient byte[] frames;
    private transient int length;
    private transient long sent;
    private transient long waited;
    private transient Deflater deflater;

    /**
     * @param deflated   names of the files, in this order: each in the archive, then its path in the workspace, empty if it is the same; both as {@link
     *     java.io.DataOutput} writes them. A map would be read string by string, which takes a fresh JVM 10 ms for a thousand
     * @param from       byte of the inflated names to begin at
     * @param firstBlock number of the first block
     * @param blockSize  most bytes of a block, not more than {@link #BLOCK}
     * @param enough     wire bytes after which the call ends, not more than {@link #TARGET_WIRE_BYTES}; it has at most {@link #MAX_OVERSHOOT} times as many
     * @param lane       takes the frames and then the answer; closed by the call
     */
    public BootstrapArchiveCallable(
            byte[] deflated, int from, int firstBlock, int blockSize, int enough, RemoteOutputStream lane) {
        this.deflated = deflated;
        this.from = from;
        this.firstBlock = firstBlock;
        this.blockSize = blockSize;
        this.enough = enough;
        this.lane = lane;
        includes = null;
        excludes = null;
        useDefaultExcludes = false;
    }

    /**
     * For a stash, whose blocks are kept as they arrive: sends all of its files, or nothing.
     *
     * @param includes patterns of Ant, separated by commas
     * @param excludes the same, to leave out; null for none
     * @param enough   most bytes of contents: the agent's other answers wait meanwhile
     */
    public BootstrapArchiveCallable(
            String includes,
            @CheckForNull String excludes,
            boolean useDefaultExcludes,
            int blockSize,
            int enough,
            RemoteOutputStream lane) {
        this.includes = includes;
        this.excludes = excludes;
        this.useDefaultExcludes = useDefaultExcludes;
        this.blockSize = blockSize;
        this.enough = enough;
        this.lane = lane;
        deflated = null;
        from = 0;
        firstBlock = 0;
    }

    @Override
    public Void invoke(File workspace, VirtualChannel channel) throws IOException {
        try {
            if (deflated == null) {
                stash(workspace, FileFinder.find(workspace, includes, excludes, useDefaultExcludes), lane);
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

    void stash(File workspace, TreeSet<String> found, OutputStream to) throws IOException {
        if (found.size() > MOST_STASHED) {
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream paths = new DataOutputStream(bytes);
        Iterator<String> each = found.iterator();
        while (each.hasNext()) {
            String path = each.next();
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
     * @param allNames not deflated
     * @param to       takes the frames, and then the answer
     * @return whether these were all, so that the end frame is among the frames
     */
    boolean send(File workspace, byte[] allNames, OutputStream to) throws IOException {
        long start = System.nanoTime();
        out = to;
        names = allNames;
        done = from;
        DataInputStream in = unread();
        blocks = firstBlock;
        block = new byte[blockSize];
        frames = new byte[2 * blockSize];
        deflater = new Deflater(LEVEL, true);
        boolean others = isWorthEngine(workspace);
        try {
            boolean over = false;
            while (!others && !over && done < names.length) {
                String name = in.readUTF();
                String path = in.readUTF();
                if (send(file(workspace, name, path), name)) {
                    done = names.length - in.available();
                } else {
                    others = true;
                }
                over = sent + length + filled >= enough || System.nanoTime() - start >= TIME_LIMIT_NANOS;
            }
            if (done == names.length) {
                append(new byte[TarHeader.TRAILER_LENGTH]);
            }
            endBlock();
            if (done == names.length) {
                frame(true);
            }
        } finally {
            deflater.end();
        }
        ByteBuffer.wrap(frames, length, RESULT_LENGTH)
                .putInt(done)
                .put((byte) (others ? 1 : 0))
                .putInt(blocks)
                .putInt(entries)
                .putLong(contentBytes)
                .putLong(System.nanoTime() - start - waited)
                .putLong(sent + length);
        length += RESULT_LENGTH;
        flush();
        return done == names.length;
    }

    private DataInputStream unread() {
        return new DataInputStream(new ByteArrayInputStream(names, done, names.length - done));
    }

    /** Whether there is enough work for the engine, as far as a short look shows. */
    private boolean isWorthEngine(File workspace) throws IOException {
        DataInputStream in = unread();
        long end = System.nanoTime() + SIZE_SCAN_NANOS;
        long size = 0;
        long much = deflated == null ? enough + 1L : ENGINE_THRESHOLD_BYTES;
        while (size < much && in.available() > 0 && System.nanoTime() - end < 0) {
            String name = in.readUTF();
            String path = in.readUTF();
            long bytes = file(workspace, name, path).length();
            size += bytes > largest() ? much : bytes; // this one needs the engine anyway
        }
        return size >= much;
    }

    /** Resolves a path in the workspace, even with a leading slash, as core's {@code ExplicitlySpecifiedDirScanner} does. */
    private static File file(File workspace, String name, String path) {
        return new File(workspace, path.isEmpty() ? name : path);
    }

    private int largest() {
        return Math.min(LARGEST_FILE, enough);
    }

    /** Sends a plain file, link or folder; false if nothing has been sent. */
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
            endBlock(); // a jar never shares a block with a log
        }
        inLargeFile = large;
        if (attributes.isSymbolicLink()) {
            append(TarHeader.ofLink(name, target, attributes));
        } else {
            append(TarHeader.of(attributes.isDirectory() ? name.concat("/") : name, content.length, attributes));
            append(content);
            append(TarHeader.padding(content.length));
        }
        entries++;
        contentBytes += content.length;
        return true;
    }

    /** Returns the content, with the size of the opened file; null if the file is too large or shrinks. */
    private byte[] read(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        try {
            int size = in.available();
            if (size > largest()) {
                return null;
            }
            byte[] content = new byte[size];
            return in.readNBytes(content, 0, size) == size ? content : null;
        } finally {
            in.close();
        }
    }

    private void append(byte[] bytes) throws IOException {
        int done = 0;
        while (done < bytes.length) {
            int n = Math.min(bytes.length - done, blockSize - filled);
            System.arraycopy(bytes, done, block, filled, n);
            filled += n;
            done += n;
            if (filled == blockSize) {
                endBlock();
            }
        }
    }

    private void endBlock() throws IOException {
        if (filled > 0) {
            frame(false);
            filled = 0;
        }
    }

    /** Adds the block as a gzip frame without a checksum of its own, since a gzip member has one. */
    private void frame(boolean last) throws IOException {
        int most = length + PREFIX + filled + filled / 8 + 1024 + RESULT_LENGTH;
        if (frames.length < most) {
            frames = Arrays.copyOf(frames, most);
        }
        int end = length + PREFIX;
        deflater.reset();
        deflater.setLevel(deflated == null ? STASH_LEVEL : isNoise() ? Deflater.NO_COMPRESSION : LEVEL);
        deflater.setInput(block, 0, filled);
        deflater.finish();
        while (!deflater.finished()) {
            end += deflater.deflate(frames, end, frames.length - end);
        }
        CRC32 crc = new CRC32();
        crc.update(block, 0, filled);
        ByteBuffer frame = ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN);
        frame.position(end);
        frame.putInt((int) crc.getValue()).putInt(filled);
        frame.position(length);
        // deflate, with an extra field, no time, unknown system; the field CA and its length
        frame.putLong(0x04088b1fL).putShort((short) 0xff00).putShort((short) 36);
        frame.putShort((short) 0x4143).putShort((short) 32);
        frame.put((byte) 1).put((byte) 1).put((byte) (last ? 1 : 0)).put((byte) 0);
        frame.putLong(blocks++).putInt(filled).putInt(end + 8 - length - PREFIX).putLong(0);
        CRC32C own = new CRC32C();
        own.update(frames, length + GZIP_PREFIX, PREFIX - GZIP_PREFIX - Integer.BYTES);
        frame.putInt((int) own.getValue());
        length = end + 8;
        if (length >= FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        long begin = System.nanoTime();
        out.write(frames, 0, length);
        waited += System.nanoTime() - begin;
        sent += length;
        length = 0;
    }

    /** Whether the bytes of a sample are about equally frequent, so that gzip would save less than a twentieth. */
    private boolean isNoise() {
        if (filled < 4 * PLACES * RUN) {
            return false;
        }
        int[] counts = new int[256];
        for (int place = 0; place < PLACES; place++) {
            int from = filled / PLACES * place;
            for (int i = from; i < from + RUN; i++) {
                counts[block[i] & 0xff]++;
            }
        }
        long squares = 0;
        for (int i = 0; i < counts.length; i++) {
            squares += (long) counts[i] * counts[i];
        }
        // noise has 1.125 times the sum for equal counts; a twentieth less entropy gives 1.5 times that sum
        return squares < 1.5 * (PLACES * RUN) * (PLACES * RUN) / counts.length;
    }
}
