package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The tar that files of a folder would make, any part of which can be read at any time, by any thread. A file that is not as it was when it was looked at is an
 * error, and nothing is read through a link.
 */
@Restricted(NoExternalUse.class)
public final class TarOfFiles {
    private final Path folder;
    private final List<Map.Entry<String, Member>> members;

    /**
     * A file, or a link that is sent as one, as it was.
     *
     * @param path   below the folder
     * @param size   bytes of content; 0 of a link
     * @param millis of the last change, since 1970
     * @param mode   permissions; -1 where there are none
     * @param target of a link
     * @param key    tells the file from any other on the disk; null of a link, and where it cannot be told, or need not
     */
    public record Member(
            String path,
            long size,
            long millis,
            int mode,
            @CheckForNull String target,
            @CheckForNull Object key) {
        /**
         * Looks at a file.
         *
         * @param mayChange whether somebody may put another file there, so that one with the same size, time and mode is not taken for it. Else it may
         *     become another one that shares the disk with an equal one: the archive of a build that is over does
         * @return null if it is neither a file nor a link
         */
        @CheckForNull
        public static Member look(Path folder, String path, boolean mayChange) throws IOException {
            Path file = folder.resolve(path);
            BasicFileAttributes now = FoundFile.attributes(file, LinkOption.NOFOLLOW_LINKS);
            if (now.isSymbolicLink()) {
                return new Member(
                        path,
                        0,
                        now.lastModifiedTime().toMillis(),
                        -1,
                        Files.readSymbolicLink(file).toString(),
                        null);
            }
            return now.isRegularFile()
                    ? new Member(
                            path,
                            now.size(),
                            now.lastModifiedTime().toMillis(),
                            TarHeader.mode(now),
                            null,
                            mayChange ? now.fileKey() : null)
                    : null;
        }
    }

    /**
     * @param folder  without a link in its own path
     * @param members by the names that they get
     */
    public TarOfFiles(Path folder, SortedMap<String, Member> members) {
        this.folder = folder;
        this.members = List.copyOf(members.entrySet());
    }

    /** How many entries there are, with the tar's end, which counts as the last one. */
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

    /** Bytes of an entry, all together. */
    public long length(int entry) {
        if (entry == members.size()) {
            return TarHeader.END;
        }
        Member member = members.get(entry).getValue();
        return TarHeader.length(name(entry), member.target) + member.size + TarHeader.toFill(member.size);
    }

    /**
     * Reads bytes that need not all be of one entry.
     *
     * @param offset of the first byte in its entry
     * @param at     where the bytes go in the target
     * @throws IOException naming the file that is not as it was
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

    /** Returns how many bytes there were before the zeros that fill the entry up. */
    private int read(Map.Entry<String, Member> entry, long offset, byte[] target, int at, int length, Set<Path> used)
            throws IOException {
        Member member = entry.getValue();
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

    private void content(Member member, long offset, byte[] target, int at, int length, Set<Path> used)
            throws IOException {
        Path file = folder.resolve(member.path);
        // not a FileChannel: Thread.interrupt() would close it, and wait for the disk
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            if (offset > 0 && in.skip(offset) < offset
                    || in.readNBytes(target, at, length) < length
                    || !member.equals(Member.look(folder, member.path, member.key != null))) {
                throw new IOException("it has changed");
            }
        } catch (NoSuchFileException e) {
            throw new IOException("Cannot read " + member.path + ": there is no such file any more", e);
        } catch (IOException e) {
            throw new IOException("Cannot read " + member.path + " as it was: " + e.getMessage(), e);
        }
        used.add(file.getParent());
    }
}
