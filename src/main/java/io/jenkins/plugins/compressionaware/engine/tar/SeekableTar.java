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
 * A virtual tar of files in a folder: each part is generated when it is read, from any position. Reading fails if a file has changed since it was scanned, and
 * never follows a link. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class SeekableTar {
    private final Path folder;
    private final List<Map.Entry<String, Entry>> members;
    /** Digests by path; null if none were requested. */
    @CheckForNull
    private final Map<String, Digest> digests;

    /** Computes the MD5 of a file from bytes that are read in order. */
    private static final class Digest {
        private MessageDigest running = md5();
        private String whole;
        private long done;

        private Digest add(long from, byte[] bytes, int at, int length, long size) {
            long known = done - from; // bytes that an earlier read has digested, for example of a sample
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
            } catch (NoSuchAlgorithmException e) { // core's fingerprints require MD5
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * A file or link as it was when it was scanned.
     *
     * @param path   path below the folder
     * @param size   bytes of content; 0 for a link
     * @param millis modification time, milliseconds since 1970
     * @param mode   permissions; -1 if the file system has none
     * @param target target of a link; otherwise null
     * @param key    identifies the file on its disk; null for a link, and if the disk has no keys or none is needed
     */
    public record Entry(
            String path,
            long size,
            long millis,
            int mode,
            @CheckForNull String target,
            @CheckForNull Object key) {
        /**
         * Reads the attributes of a file.
         *
         * @param mayChange whether another file may take this one's place, even with the same size, time and mode. If false, the file belongs to a finished
         *     build, where only deduplication may replace it, by an equal file
         * @return null if the path is neither a file nor a link
         */
        @CheckForNull
        public static Entry look(Path folder, String path, boolean mayChange) throws IOException {
            Path file = folder.resolve(path);
            BasicFileAttributes now = ScannedFile.attributes(file, LinkOption.NOFOLLOW_LINKS);
            long millis = now.lastModifiedTime().toMillis();
            if (now.isSymbolicLink()) {
                return new Entry(
                        path, 0, millis, -1, Files.readSymbolicLink(file).toString(), null);
            }
            Object key = mayChange ? now.fileKey() : null;
            return now.isRegularFile() ? new Entry(path, now.size(), millis, TarHeader.mode(now), null, key) : null;
        }

        /** Compares the file with its scan. Deduplication may have replaced it by a hard link to an equal file with an earlier time. */
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

    /** Returns a tar of the same files whose reads do not update {@link #digests}. */
    public SeekableTar undigested() {
        return new SeekableTar(folder, members, null);
    }

    /**
     * Returns the MD5 of each file by path, computed from the bytes that {@link #read} has returned. Bytes that were not read in order are read again.
     *
     * @throws IOException that names a changed file
     */
    public Map<String, String> digests() throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>();
        byte[] again = new byte[256 * 1024];
        for (int i = 0; digests != null && i < members.size(); i++) {
            Entry file = members.get(i).getValue();
            if (file.target == null) {
                // an empty file has no digest yet, because it is never read
                Digest digest = digest(digests, file, 0, again, 0, 0);
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

    /** Returns the number of entries. The end of the tar counts as the last entry. */
    public int entries() {
        return members.size() + 1;
    }

    public String name(int entry) {
        return entry == members.size() ? "" : members.get(entry).getKey();
    }

    /** Returns the size of an entry's content in bytes. */
    public long size(int entry) {
        return entry == members.size() ? 0 : members.get(entry).getValue().size;
    }

    /** Returns the size of an entry in bytes, with header and padding. */
    public long length(int entry) {
        if (entry == members.size()) {
            return TarHeader.TRAILER_LENGTH;
        }
        Entry member = members.get(entry).getValue();
        return TarHeader.length(name(entry), member.target) + member.size + TarHeader.paddingLength(member.size);
    }

    /**
     * Reads bytes of one or more consecutive entries.
     *
     * @param entry  entry of the first byte
     * @param offset position of the first byte in that entry
     * @param at     position of the bytes in the target
     * @throws IOException that names a changed file
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

    /** Reads header and content bytes of one entry, and returns their number. The rest of {@code length} bytes is padding. */
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
            throw new IOException("Cannot read " + member.path + ": there is no such file", e);
        } catch (IOException e) {
            throw new IOException("Cannot read " + member.path + " as it was: " + e.getMessage(), e);
        }
        used.add(file.getParent());
        if (digests != null) {
            digest(digests, member, offset, target, at, length);
        }
    }

    private static Digest digest(
            Map<String, Digest> digests, Entry file, long offset, byte[] bytes, int at, int length) {
        return digests.compute(
                file.path,
                (path, digest) -> (digest == null ? new Digest() : digest).add(offset, bytes, at, length, file.size));
    }
}
