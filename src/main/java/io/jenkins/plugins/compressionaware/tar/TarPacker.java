package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.delta.Recipe;
import io.jenkins.plugins.compressionaware.delta.Shortener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Date;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipEncoding;
import org.apache.commons.compress.archivers.zip.ZipEncodingHelper;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Writes files as a tar stream, entry for entry as Jenkins core's {@code TarArchiver} does: a link is sent as a link, a directory as an
 * empty one, a file that grows is cut at the size it had when it was opened. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class TarPacker implements Closeable {
    /** Kind of an entry whose content is a {@link Recipe} for that of its file. POSIX leaves the letters to whoever needs them. */
    static final byte RECIPE = 'R';

    private static final int READ_BUFFER = 128 * 1024;

    /** Characters that fit into a header whatever they are: three bytes each. */
    private static final int CUT = TarConstants.NAMELEN / 3;

    private final TarSink sink;
    private final Executor readers;

    @CheckForNull
    private final Shortener shortener;

    private final ZipEncoding names = ZipEncodingHelper.getZipEncoding(StandardCharsets.UTF_8);
    private final byte[] header = new byte[TarConstants.DEFAULT_RCDSIZE];
    private final byte[] buffer = new byte[READ_BUFFER];
    private int entries;
    private long contentBytes;

    public TarPacker(TarSink sink) {
        this(sink, task -> {
            throw new RejectedExecutionException();
        });
    }

    /**
     * @param readers read small files ahead where the disk is slow; may refuse
     */
    public TarPacker(TarSink sink, Executor readers) {
        this(sink, readers, null);
    }

    /**
     * @param shortener puts recipes in the place of files; null if the other end has nothing for them
     */
    public TarPacker(TarSink sink, Executor readers, @CheckForNull Shortener shortener) {
        this.sink = sink;
        this.readers = readers;
        this.shortener = shortener;
    }

    /**
     * Packs every file of the map in the order of the names: what lies together is alike, which compresses better.
     *
     * @param files name in the archive to path below {@code base}; both with forward slashes
     * @throws IOException naming the first file that cannot be read
     */
    public void pack(Path base, Map<String, String> files) throws IOException {
        SortedMap<String, String> sorted =
                files instanceof SortedMap<String, String> already ? already : new TreeMap<>(files);
        try (FoundFiles found = new FoundFiles(base, sorted.values().iterator(), readers, new Concurrency())) {
            for (Map.Entry<String, String> file : sorted.entrySet()) {
                addNext(found, file.getKey(), file.getValue());
            }
        }
    }

    private void addNext(FoundFiles found, String name, String path) throws IOException {
        try {
            add(found.next(), name);
        } catch (NoSuchFileException e) {
            throw new IOException("Cannot archive " + path + ": there is no such file", e);
        } catch (FileSystemException e) {
            String reason = e.getReason() != null ? e.getReason() : e.toString();
            throw new IOException("Cannot archive " + path + ": " + reason, e);
        } catch (InvalidPathException e) {
            throw new IOException("Cannot archive " + path + ": not a valid name here", e);
        }
    }

    private void add(FoundFile file, String name) throws IOException {
        if (file.target() != null) {
            addLink(name, file.target());
        } else if (file.attributes().isDirectory()) {
            addDirectory(name, file.attributes());
        } else {
            addFile(file, name);
        }
    }

    private void addLink(String name, String target) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(relative(name), TarConstants.LF_SYMLINK, true);
        entry.setLinkName(target);
        start(entry, name, 0);
    }

    private void addDirectory(String name, BasicFileAttributes attributes) throws IOException {
        start(entry(name + '/', attributes), name, 0);
    }

    private void addFile(FoundFile file, String name) throws IOException {
        long size = file.attributes().size();
        Recipe recipe = shortener == null ? null : recipe(file, size);
        if (recipe != null) {
            addRecipe(recipe, name, file.attributes(), size);
            return;
        }
        TarArchiveEntry entry = entry(name, file.attributes());
        entry.setSize(size);
        if (file.content() != null) {
            if (file.content().length < size) {
                throw shrank(file.path(), size, file.content().length);
            }
            start(entry, name, size);
            sink.write(file.content());
        } else {
            copy(file.path(), entry, name, size);
        }
        fillRecord(size);
        contentBytes += size;
    }

    @CheckForNull
    private Recipe recipe(FoundFile file, long size) {
        try {
            return file.attributes().isRegularFile() ? shortener.recipe(file.path(), size) : null;
        } catch (IOException e) {
            // whoever reads it next says so
            return null;
        }
    }

    private void addRecipe(Recipe recipe, String name, BasicFileAttributes attributes, long size) throws IOException {
        TarArchiveEntry entry = withAttributes(new TarArchiveEntry(relative(name), RECIPE, true), attributes);
        entry.setSize(recipe.length());
        start(entry, name, recipe.length());
        recipe.writeTo(sink);
        fillRecord(recipe.length());
        contentBytes += size;
    }

    private void copy(Path path, TarArchiveEntry entry, String name, long size) throws IOException {
        // not a FileChannel: Thread.interrupt() would close it, and wait for the disk with whatever lock its caller
        // holds
        try (InputStream in = Files.newInputStream(path)) {
            start(entry, name, size);
            copy(in, path, size);
        }
    }

    private void copy(InputStream in, Path path, long size) throws IOException {
        long left = size;
        while (left > 0) {
            int n = read(in, path, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw shrank(path, size, size - left);
            }
            sink.write(buffer, 0, n);
            left -= n;
        }
    }

    private static IOException shrank(Path path, long size, long now) {
        return new IOException(
                "Cannot archive " + path + ": it shrank from " + size + " to " + now + " bytes while it was read");
    }

    private int read(InputStream in, Path path, int atMost) throws IOException {
        try {
            return in.read(buffer, 0, atMost);
        } catch (IOException e) {
            throw new IOException("Cannot archive " + path + ": " + (e.getMessage() != null ? e.getMessage() : e), e);
        }
    }

    private void start(TarArchiveEntry entry, String name, long size) throws IOException {
        sink.startEntry(name, size);
        if (writeLong(TarConstants.LF_GNUTYPE_LONGNAME, entry.getName(), entry)) {
            entry.setName(cut(entry.getName()));
        }
        if (writeLong(TarConstants.LF_GNUTYPE_LONGLINK, entry.getLinkName(), entry)) {
            entry.setLinkName(cut(entry.getLinkName()));
        }
        writeHeader(entry);
        entries++;
    }

    /**
     * As {@code TarArchiveOutputStream} writes it, with numbers that do not fit as star does. That stream itself would pass on each 512 bytes of every file by
     * themselves, which costs a JVM that has just started 0.15 s of compiling its classes.
     */
    private void writeHeader(TarArchiveEntry entry) throws IOException {
        entry.writeEntryHeader(header, names, true);
        sink.write(header);
    }

    private void fillRecord(long size) throws IOException {
        int over = (int) (size % header.length);
        if (over > 0) {
            sink.write(new byte[header.length - over]);
        }
    }

    /**
     * Writes a name that does not fit into a header as an entry of its own. The library would write the same, but to cut the name for the header
     * it then encodes it once for each character too many: with paths of 2,000 characters that took a millisecond per file and more.
     */
    private boolean writeLong(byte type, String name, TarArchiveEntry of) throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < TarConstants.NAMELEN) {
            return false;
        }
        TarArchiveEntry entry = new TarArchiveEntry(TarConstants.GNU_LONGLINK, type, true);
        entry.setSize(bytes.length + 1L);
        entry.setModTime(of.getLastModifiedTime());
        writeHeader(entry);
        sink.write(Arrays.copyOf(bytes, bytes.length + 1));
        fillRecord(entry.getSize());
        return true;
    }

    /** What the header says, which only those believe who do not know long names. The library takes a slash at the end for a folder. */
    private static String cut(String name) {
        return name.substring(0, CUT).replaceAll("/+$", "");
    }

    /** As the library would make it, which for each name asks for the system's in lower case. */
    private static String relative(String name) {
        String relative = name;
        while (relative.startsWith("/")) {
            relative = relative.substring(1);
        }
        return relative;
    }

    private static TarArchiveEntry entry(String name, BasicFileAttributes attributes) {
        return withAttributes(new TarArchiveEntry(relative(name), true), attributes);
    }

    private static TarArchiveEntry withAttributes(TarArchiveEntry entry, BasicFileAttributes attributes) {
        if (attributes instanceof PosixFileAttributes posix) {
            entry.setMode(mode(posix));
        }
        entry.setModTime(wholeSeconds(attributes.lastModifiedTime().toMillis()));
        return entry;
    }

    /** As core sends them: a fraction would need an extra header. */
    private static Date wholeSeconds(long millis) {
        return new Date(millis / 1000 * 1000);
    }

    private static int mode(PosixFileAttributes attributes) {
        int mode = 0;
        for (PosixFilePermission permission : attributes.permissions()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            mode |= 0400 >> permission.ordinal();
        }
        return mode;
    }

    /** Entries written so far: files, links and directories. */
    public int entries() {
        return entries;
    }

    /** Bytes of file contents written so far. */
    public long contentBytes() {
        return contentBytes;
    }

    /** Writes the end of the archive. Not to be called after a failure: a stream cut short must not look whole. */
    @Override
    public void close() throws IOException {
        sink.write(new byte[2 * header.length]);
        sink.close();
    }
}
