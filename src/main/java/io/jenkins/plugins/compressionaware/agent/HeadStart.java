package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Iterator;
import java.util.TreeMap;
import java.util.zip.Deflater;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * Runs on an agent that has no class of this plugin yet, and is the only one that has to travel for a small archive: sends the first files
 * as deflated tar. Little comes in the answer; more goes to a lane, until {@link SendFiles} has arrived and takes over, or it is enough.
 *
 * <p>A fresh JVM pays about a millisecond for every class. So there is no nested class, lambda, record, stream or string template in here,
 * and the few fields of a tar header are written without a library. What is not plain, such as a file that cannot be read, is left to
 * {@link SendFiles} together with all that follows, so that its rules and messages apply.
 */
final class HeadStart implements ControllerToAgentFileCallable<byte[]> {
    private static final long serialVersionUID = 1L;

    /** Wire bytes that the answer may have. */
    static final int LITTLE = 256 * 1024;

    /** Bytes of the largest file, which is read into memory whole: a file that shrinks must not spoil the stream. */
    private static final int LARGEST_FILE = 2 << 20;

    /** Wire bytes that one may be allowed at least: a file, and what is in its hands. */
    static final int LEAST = LARGEST_FILE + 2 * LITTLE;

    /** Bytes per write to the lane; see {@code StreamLane}. */
    static final int CHUNK = 100 * 1024;

    /** Wire bytes from which the time of the writes says how fast the link is: remoting takes so many without an answer. */
    static final int WINDOW = 1 << 20;

    /** Wire bytes after which that is known. */
    static final int SEEN = WINDOW + LITTLE;

    /**
     * A link is fast below so many nanoseconds per byte (10 MB/s). There text with level 6 takes as long to make as with level 1 to send (28 and 100 ns for each
     * byte of it, a quarter of which remains), and half jars half text take the same time with 6 as with 1 and stored jars.
     */
    static final long FAST = 100;

    /** Of a file, places and bytes of each that show whether it can be compressed. Not its beginning: that of a jar is its first, short entries. */
    private static final int PLACES = 256;

    private static final int RUN = 16;

    /** Bytes of a file below which a sample takes longer than it saves. */
    private static final int SMALL = 8 * PLACES * RUN;

    /**
     * Bytes of files from which on the engine is wanted at once. Measured on two cores, this sends some 30 MB/s and the engine 80, once it is there, for which
     * both processors work for up to 0.4 s: with 20 MB to go both ways take about as long.
     */
    static final long MUCH = 20 << 20;

    /** How long to look for so many before each piece, nanoseconds: files may be on a slow file system. */
    private static final long LOOK = 20_000_000;

    /** Bytes of the answer beside those of the archive. */
    static final int ANSWER = 1 + 6 * Long.BYTES;

    private static final int RECORD = 512;
    private static final int NAME = 100;
    private static final int SLOW_LEVEL = 6;

    private final byte[] files;
    private final String id;
    private final OutputStream lane;
    private final long most;
    private boolean fast;

    private transient volatile boolean seenFast;
    private transient File base;
    private transient Deflater deflater;
    private transient Deflater sampler;
    private transient byte[] wire;
    private transient int filled;
    private transient long onLane;
    private transient long laneNanos;
    private transient long windowNanos;
    private transient long nanos;
    private transient long deflateNanos;
    private transient boolean levelled;
    private transient long slowRaw;
    private transient long slowWire;
    private transient long slowNanos;
    private transient String names;
    private transient int next;
    private transient int unseen;
    private transient long size;
    private transient boolean stopped;
    private transient boolean ended;

    /**
     * @param files in the order of their names, each a name in the archive and a path in the workspace, both in UTF-8 and with a NUL behind. A map would be read
     *     string by string, which in a fresh JVM takes 10 ms for a thousand files
     * @param id    of the transfer
     * @param lane  exported; takes whole arrays, and is flushed once if much is to come
     * @param most  wire bytes on it at most, which the controller keeps in memory until they are unpacked; at least {@link #LEAST}
     * @param fast  whether the link is believed to carry more than 10 MB/s, until it is seen
     */
    HeadStart(byte[] files, String id, OutputStream lane, long most, boolean fast) {
        this.files = files;
        this.id = id;
        this.lane = lane;
        this.most = most;
        this.fast = fast;
    }

    /** Tells the one that runs for this transfer that the link has been seen to be fast. */
    HeadStart(String id) {
        this(null, id, null, 0, true);
    }

    /**
     * 1 if everything has been sent, with the end of the archive, else 0; eight bytes each: bytes on the lane,
     * the time of its writes from {@link #WINDOW} on, bytes before and after compression with level 6 and the time that took, the time of all compression; then the bytes
     * that follow those on the lane. Times are nanoseconds.
     */
    @Override
    public byte[] invoke(File workspace, VirtualChannel channel) throws IOException {
        Channel own = Channel.currentOrFail();
        if (files == null) {
            Object running = own.getProperty(id);
            if (running != null) {
                ((HeadStart) running).seenFast = true;
            }
            return new byte[0];
        }
        names = new String(files, StandardCharsets.UTF_8);
        own.setProperty(id, this);
        boolean complete = false;
        long start = System.nanoTime();
        base = workspace;
        deflater = new Deflater(fast ? Deflater.BEST_SPEED : SLOW_LEVEL);
        wire = new byte[LITTLE];
        levelled = fast;
        try {
            complete = sendAll(workspace.toPath());
            if (complete) {
                put(new byte[2 * RECORD], 2 * RECORD);
            }
            deflater.finish();
            deflate();
            if (!fast) {
                levelEnds(onLane + filled);
            }
        } catch (IOException | RuntimeException | Error e) {
            complete = true; // nobody will take over
            throw e;
        } finally {
            deflater.end();
            if (sampler != null) {
                sampler.end();
            }
            nanos = System.nanoTime() - start;
            if (complete) {
                own.setProperty(id, null);
            }
            end();
        }
        return ByteBuffer.allocate(ANSWER + filled)
                .put((byte) (complete ? 1 : 0))
                .putLong(onLane)
                .putLong(laneNanos - windowNanos)
                .putLong(slowRaw)
                .putLong(slowWire)
                .putLong(slowNanos)
                .putLong(deflateNanos)
                .put(wire, 0, filled)
                .array();
    }

    /** What it has not sent; once it has ended. */
    TreeMap<String, String> rest() {
        TreeMap<String, String> rest = new TreeMap<>();
        for (int from = next; from < names.length(); ) {
            int path = names.indexOf(0, from) + 1;
            int end = names.indexOf(0, path);
            rest.put(names.substring(from, path - 1), names.substring(path, end));
            from = end + 1;
        }
        return rest;
    }

    /** Whether each of the files has been sent. */
    private boolean sendAll(Path workspace) throws IOException {
        while (next < names.length()) {
            int path = names.indexOf(0, next) + 1;
            int end = names.indexOf(0, path);
            if (isStopped()
                    || onLane > most - LEAST
                    || !send(workspace, names.substring(path, end), names.substring(next, path - 1))) {
                return false;
            }
            next = end + 1;
        }
        return true;
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    /**
     * Lets the one that runs for this transfer end after its current file, and waits for that.
     *
     * @return null if it has sent everything
     */
    static HeadStart takeOver(Channel own, String id) throws InterruptedException {
        Object running = own.getProperty(id);
        own.setProperty(id, null);
        if (running != null) {
            ((HeadStart) running).stop();
        }
        return (HeadStart) running;
    }

    private synchronized void stop() throws InterruptedException {
        stopped = true;
        while (!ended) {
            wait();
        }
    }

    /** Wire bytes that have waited for the link; 0 if nothing is known of it. */
    int linkBytes() {
        if (onLane >= SEEN) {
            return (int) (onLane - WINDOW);
        }
        return fast || seenFast ? LITTLE : 0;
    }

    /** Time of their writes, nanoseconds; where only the controller has seen the link, or one of a kind was seen, what a link takes at most that is called fast. */
    long linkNanos() {
        return onLane >= SEEN ? laneNanos - windowNanos : FAST * linkBytes();
    }

    /** Time of reading and compressing, nanoseconds. */
    long workNanos() {
        return nanos - laneNanos;
    }

    /** Sends what is plain; false if nothing has been sent. */
    private boolean send(Path workspace, String file, String name) throws IOException {
        BasicFileAttributes attributes;
        String target = "";
        byte[] content = {};
        try {
            Path path = workspace.resolve(file);
            attributes = File.pathSeparatorChar == ':'
                    ? Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isSymbolicLink()) {
                target = Files.readSymbolicLink(path).toString();
            } else if (attributes.isRegularFile()) {
                content = read(path, attributes.size());
            } else if (!attributes.isDirectory()) {
                return false;
            }
        } catch (IOException | RuntimeException e) {
            return false;
        }
        long seconds = attributes.lastModifiedTime().toMillis() / 1000;
        if (content == null || seconds < 0) {
            return false;
        }
        if (attributes.isDirectory()) {
            header(name.concat("/"), '5', mode(attributes, 0755), 0, seconds, "");
        } else if (attributes.isSymbolicLink()) {
            header(name, '2', 0777, 0, seconds, target);
        } else {
            chooseLevel(content);
            header(name, '0', mode(attributes, 0644), content.length, seconds, "");
            putContent(content);
        }
        return true;
    }

    /** The content up to this size; null if it is too large or has shrunk. */
    private static byte[] read(Path path, long size) throws IOException {
        if (size > LARGEST_FILE) {
            return null;
        }
        byte[] content = new byte[(int) size];
        InputStream in = new FileInputStream(path.toFile());
        try {
            return in.readNBytes(content, 0, content.length) == content.length ? content : null;
        } finally {
            in.close();
        }
    }

    private static int mode(BasicFileAttributes attributes, int usual) {
        if (!(attributes instanceof PosixFileAttributes)) {
            return usual;
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

    /** A header as in "ustar" of POSIX pax(1), with long names as GNU tar writes them. */
    private void header(String name, char type, int mode, int size, long seconds, String target) throws IOException {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] targetBytes = target.getBytes(StandardCharsets.UTF_8);
        if (targetBytes.length > NAME) {
            longName('K', targetBytes);
        }
        if (nameBytes.length > NAME) {
            longName('L', nameBytes);
        }
        record(nameBytes, type, mode, size, seconds, targetBytes);
    }

    private void longName(char type, byte[] name) throws IOException {
        record("././@LongLink".getBytes(StandardCharsets.US_ASCII), type, 0644, name.length + 1, 0, new byte[0]);
        putContent(Arrays.copyOf(name, name.length + 1));
    }

    private void record(byte[] name, char type, int mode, int size, long seconds, byte[] target) throws IOException {
        byte[] header = new byte[RECORD];
        System.arraycopy(name, 0, header, 0, fitting(name));
        octal(header, 100, 7, mode);
        octal(header, 108, 7, 0);
        octal(header, 116, 7, 0);
        octal(header, 124, 11, size);
        octal(header, 136, 11, seconds);
        header[156] = (byte) type;
        System.arraycopy(target, 0, header, 157, fitting(target));
        byte[] magic = "ustar\00000".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(magic, 0, header, 257, magic.length);
        int sum = 8 * ' ';
        for (int i = 0; i < RECORD; i++) {
            sum += header[i] & 0xff;
        }
        octal(header, 148, 6, sum);
        header[155] = ' ';
        put(header, RECORD);
    }

    /** How much of a name a header has: whole characters, and no slash where it is cut, which readers take for a folder's. */
    private static int fitting(byte[] name) {
        int length = Math.min(name.length, NAME);
        while (length < name.length && length > 0 && ((name[length] & 0xc0) == 0x80 || name[length - 1] == '/')) {
            length--;
        }
        return length;
    }

    private static void octal(byte[] header, int offset, int digits, long number) {
        long rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            header[offset + i] = (byte) ('0' + (rest & 7));
            rest >>= 3;
        }
    }

    /** To be called before the header, since zlib still uses the old level for what is its input when it first hears of the new one. */
    private void chooseLevel(byte[] content) {
        if (seenFast && onLane < SEEN) {
            goFast(onLane + filled);
        }
        if (fast) {
            deflater.setLevel(canBeCompressed(content) ? Deflater.BEST_SPEED : Deflater.NO_COMPRESSION);
        } else {
            deflater.setLevel(SLOW_LEVEL);
        }
    }

    private void putContent(byte[] content) throws IOException {
        put(content, content.length);
        int over = content.length % RECORD;
        if (over > 0) {
            put(new byte[RECORD - over], RECORD - over);
        }
    }

    /** Whether the bytes of a sample are not equally frequent. */
    private boolean canBeCompressed(byte[] content) {
        if (content.length < SMALL) {
            return true;
        }
        if (sampler == null) {
            sampler = new Deflater(Deflater.BEST_SPEED);
            sampler.setStrategy(Deflater.HUFFMAN_ONLY);
        }
        byte[] sample = new byte[PLACES * RUN];
        for (int i = 0; i < PLACES; i++) {
            System.arraycopy(content, content.length / PLACES * i, sample, RUN * i, RUN);
        }
        sampler.reset();
        sampler.setInput(sample);
        sampler.finish();
        return sampler.deflate(new byte[2 * sample.length]) < sample.length * 0.95;
    }

    private void put(byte[] bytes, int length) throws IOException {
        deflater.setInput(bytes, 0, length);
        deflate();
    }

    private void deflate() throws IOException {
        long start = System.nanoTime();
        int n = deflater.deflate(wire, filled, wire.length - filled);
        while (n > 0) {
            filled += n;
            if (filled == wire.length) {
                deflateNanos += System.nanoTime() - start;
                flush();
                start = System.nanoTime();
            }
            n = deflater.deflate(wire, filled, wire.length - filled);
        }
        deflateNanos += System.nanoTime() - start;
    }

    private void flush() throws IOException {
        long start = System.nanoTime();
        lookForMuch();
        for (int done = 0; done < filled; done += CHUNK) {
            lane.write(Arrays.copyOfRange(wire, done, Math.min(filled, done + CHUNK)));
        }
        onLane += filled;
        filled = 0;
        laneNanos += System.nanoTime() - start;
        if (onLane <= WINDOW) {
            windowNanos = laneNanos;
        } else if (laneNanos - windowNanos < FAST * (onLane - WINDOW)) {
            goFast(onLane);
        } else {
            fast = false;
        }
    }

    /** Says once whether the files are much; at the next piece if that cannot be seen in short time. */
    private void lookForMuch() throws IOException {
        long end = System.nanoTime() + LOOK;
        while (size < MUCH && unseen < names.length() && System.nanoTime() - end < 0) {
            int path = names.indexOf(0, unseen) + 1;
            unseen = names.indexOf(0, path) + 1;
            long length = new File(base, names.substring(path, unseen - 1)).length();
            size += length > LARGEST_FILE ? MUCH : length; // a large one needs the engine anyway
            if (size >= MUCH) {
                lane.flush();
            }
        }
    }

    private void goFast(long wireBytes) {
        fast = true;
        levelEnds(wireBytes);
    }

    /** So many wire bytes were made with level 6, unless that is known already. */
    private void levelEnds(long wireBytes) {
        if (!levelled) {
            levelled = true;
            slowRaw = deflater.getBytesRead();
            slowWire = wireBytes;
            slowNanos = deflateNanos;
        }
    }
}
