package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The tar of some files in a folder, made as it is read: any thread can read any part at any time. A file that has changed since it was looked at is an error,
 * and nothing is read through a link.
 */
@Restricted(NoExternalUse.class)
public final class SeekableTar {
    private final Path folder;
    private final List<Map.Entry<String, Entry>> members;
    /** Digests by path; null if not wanted. */
    @CheckForNull
    private final Map<String, Digest> digests;

    /** Computes the MD5 of a file from its bytes as they are read in order. */
    private static final class Digest {
        private MessageDigest running = md5();
        private String whole;
        private long done;

        private Digest add(long from, byte[] bytes, int at, int length, long size) {
            long known = done - from; // bytes that were digested before, for example by a sample
            if (whole == null && known >= 0 && known <= length) {
                running.update(bytes, at + (int) known, length - (int) known);
                done = from + length;
                if (done == size) {
                    whole = HexFormat.of().formatHex(running.digest());
                    running = null;
                }
            }
            return this;
        }

        private static MessageDigest md5() {
            try {
                return MessageDigest.getInstance("MD5");
            } catch (NoSuchAlgorithmException e) { // core's fingerprints need it
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * A file, or a link that is sent as one, as it was when it was looked at.
     *
     * @param path   path below the folder
     * @param size   bytes of content; 0 for a link
     * @param millis time of the last change, milliseconds since 1970
     * @param mode   permissions; -1 where there are none
     * @param target target of a link; otherwise null
     * @param key    distinguishes the file from any other on the disk; null for a link, and where that is not possible or not needed
     */
    public record Entry(
            String path,
            long size,
            long millis,
            int mode,
            @CheckForNull String target,
            @CheckForNull Object key) {
        /**
         * Looks at a file.
         *
         * @param mayChange whether somebody may put another file there, which must not be taken for this one even if size, time and mode are equal. If not,
         *     the file may still be replaced by an equal one, to share the disk: that happens in the archive of a build that is over
         * @return null if it is neither a file nor a link
         */
        @CheckForNull
        public static Entry look(Path folder, String path, boolean mayChange) throws IOException {
            Path file = folder.resolve(path);
            BasicFileAttributes now = ScannedFile.attributes(file, LinkOption.NOFOLLOW_LINKS);
            if (now.isSymbolicLink()) {
                return new Entry(
                        path,
                        0,
                        now.lastModifiedTime().toMillis(),
                        -1,
                        Files.readSymbolicLink(file).toString(),
                        null);
            }
            return now.isRegularFile()
                    ? new Entry(
                            path,
                            now.size(),
                            now.lastModifiedTime().toMillis(),
                            TarHeader.mode(now),
                            null,
                            mayChange ? now.fileKey() : null)
                    : null;
        }

        /** When its build is over, it may become a link to its equal in an earlier one, with the time of that. */
        private boolean isUnchanged(@CheckForNull Entry now, Path file) throws IOException {
            boolean linked = key == null
                    && now != null
                    && now.millis < millis
                    && File.separatorChar == '/'
                    && (int) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1;
            return equals(linked ? new Entry(path, now.size, millis, now.mode, now.target, null) : now);
        }
    }

    /**
     * @param folder   path without links
     * @param members  files by their names in the tar
     * @param digested whether to compute {@link #digests}
     */
    public SeekableTar(Path folder, SortedMap<String, Entry> members, boolean digested) {
        this(folder, List.copyOf(members.entrySet()), digested ? new ConcurrentHashMap<>() : null);
    }

    private SeekableTar(
            Path folder, List<Map.Entry<String, Entry>> members, @CheckForNull Map<String, Digest> digests) {
        this.folder = folder;
        this.members = members;
        this.digests = digests;
    }

    /** The same files. What is read of these does not count for {@link #digests}. */
    public SeekableTar undigested() {
        return new SeekableTar(folder, members, null);
    }

    /**
     * Returns the MD5 of each file by its path, of the bytes that {@link #read} returns. Reads bytes again that were not read in order.
     *
     * @throws IOException with the name of a file that has changed
     */
    public Map<String, String> digests() throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>();
        byte[] again = new byte[256 * 1024];
        for (int i = 0; digests != null && i < members.size(); i++) {
            Entry file = members.get(i).getValue();
            if (file.target == null) {
                // an empty file was never read
                Digest digest = digest(file, 0, again, 0, 0);
                while (digest.whole == null) {
                    if (Thread.interrupted()) {
                        throw new InterruptedException("Interrupted while digesting " + file.path);
                    }
                    int n = (int) Math.min(again.length, file.size - digest.done);
                    read(i, TarHeader.length(name(i), null) + digest.done, again, 0, n);
                }
                all.put(file.path, digest.whole);
            }
        }
        return all;
    }

    /** Number of entries; the end of the tar counts as the last one. */
    public int entries() {
        return members.size() + 1;
    }

    public String name(int entry) {
        return entry == members.size() ? "" : members.get(entry).getKey();
    }

    /** Bytes of an entry's content. */
    public long size(int entry) {
        return entry == members.size() ? 0 : members.get(entry).getValue().size;
    }

    /** Bytes of a whole entry, with header and padding. */
    public long length(int entry) {
        if (entry == members.size()) {
            return TarHeader.TRAILER_LENGTH;
        }
        Entry member = members.get(entry).getValue();
        return TarHeader.length(name(entry), member.target) + member.size + TarHeader.paddingLength(member.size);
    }

    /**
     * Reads bytes of one or more entries.
     *
     * @param entry  entry of the first byte
     * @param offset position of the first byte in that entry
     * @param at     position of the bytes in the target
     * @throws IOException that names the file that has changed
     */
    public void read(int entry, long offset, byte[] target, int at, int length) throws IOException {
        Set<Path> used = new HashSet<>();
        int done = 0;
        long from = offset;
        for (int i = entry; done < length; i++) {
            int n = (int) Math.min(length - done, length(i) - from);
            int filled = i < members.size() ? read(members.get(i), from, target, at + done, n, used) : 0;
            Arrays.fill(target, at + done + filled, at + done + n, (byte) 0);
            done += n;
            from = 0;
        }
        for (Path parent : used) {
            if (!parent.toRealPath().startsWith(folder)) {
                throw new IOException(parent + " leads out of " + folder + " now");
            }
        }
    }

    /** Returns the number of bytes before the zeros that pad the entry. */
    private int read(Map.Entry<String, Entry> entry, long offset, byte[] target, int at, int length, Set<Path> used)
            throws IOException {
        Entry member = entry.getValue();
        int header = TarHeader.length(entry.getKey(), member.target);
        int ofHeader = (int) Math.min(length, Math.max(0, header - offset));
        if (ofHeader > 0) {
            byte[] bytes = member.target == null
                    ? TarHeader.of(entry.getKey(), member.size, member.millis, member.mode)
                    : TarHeader.ofLink(entry.getKey(), member.target, member.millis);
            System.arraycopy(bytes, (int) offset, target, at, ofHeader);
        }
        long skipped = offset + ofHeader - header;
        int ofContent = (int) Math.min(length - ofHeader, Math.max(0, member.size - skipped));
        if (ofContent > 0) {
            content(member, skipped, target, at + ofHeader, ofContent, used);
        }
        return ofHeader + ofContent;
    }

    private void content(Entry member, long offset, byte[] target, int at, int length, Set<Path> used)
            throws IOException {
        Path file = folder.resolve(member.path);
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            if (offset > 0 && in.skip(offset) < offset
                    || in.readNBytes(target, at, length) < length
                    || !member.isUnchanged(Entry.look(folder, member.path, member.key != null), file)) {
                throw new IOException("it has changed");
            }
        } catch (NoSuchFileException e) {
            throw new IOException("Cannot read " + member.path + ": there is no such file any more", e);
        } catch (IOException e) {
            throw new IOException("Cannot read " + member.path + " as it was: " + e.getMessage(), e);
        }
        used.add(file.getParent());
        if (digests != null) {
            digest(member, offset, target, at, length);
        }
    }

    private Digest digest(Entry file, long offset, byte[] bytes, int at, int length) {
        return digests.compute(
                file.path,
                (path, digest) -> (digest == null ? new Digest() : digest).add(offset, bytes, at, length, file.size));
    }
}
