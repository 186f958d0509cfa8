package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipEncoding;
import org.apache.commons.compress.archivers.zip.ZipEncodingHelper;

/**
 * Bytes before the content of an entry, as {@code TarArchiveOutputStream} writes them, with numbers that do not fit as star does. The stream itself would pass
 * on each 512 bytes of every file by themselves, which costs a JVM that has just started 0.15 s of compiling its classes.
 */
final class TarHeader {
    /** Zeros at the end of a tar, bytes. */
    static final int END = 2 * TarConstants.DEFAULT_RCDSIZE;

    /** Characters that fit into a header whatever they are: three bytes each. */
    private static final int CUT = TarConstants.NAMELEN / 3;

    private static final ZipEncoding NAMES = ZipEncodingHelper.getZipEncoding(StandardCharsets.UTF_8);

    private TarHeader() {}

    /**
     * Of a file or folder.
     *
     * @param name with a slash at the end for a folder
     */
    static byte[] of(String name, long size, BasicFileAttributes attributes) throws IOException {
        return of(name, size, attributes.lastModifiedTime().toMillis(), mode(attributes));
    }

    /**
     * @param millis of the last change, since 1970
     * @param mode   permissions; -1 where there are none
     */
    static byte[] of(String name, long size, long millis, int mode) throws IOException {
        return of(new TarArchiveEntry(relative(name), true), size, millis, mode);
    }

    /** Of a file with a recipe as its content. */
    static byte[] ofRecipe(String name, long size, BasicFileAttributes attributes) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(relative(name), TarPacker.RECIPE, true);
        return of(entry, size, attributes.lastModifiedTime().toMillis(), mode(attributes));
    }

    private static byte[] of(TarArchiveEntry entry, long size, long millis, int mode) throws IOException {
        if (mode >= 0) {
            entry.setMode(mode);
        }
        entry.setSize(size);
        return bytes(entry, millis);
    }

    static byte[] ofLink(String name, String target, BasicFileAttributes attributes) throws IOException {
        return ofLink(name, target, attributes.lastModifiedTime().toMillis());
    }

    static byte[] ofLink(String name, String target, long millis) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(relative(name), TarConstants.LF_SYMLINK, true);
        entry.setLinkName(target);
        return bytes(entry, millis);
    }

    /** Bytes of such a header. */
    static int length(String name, @CheckForNull String target) {
        return TarConstants.DEFAULT_RCDSIZE
                + lengthOfLong(relative(name))
                + (target == null ? 0 : lengthOfLong(target));
    }

    private static int lengthOfLong(String name) {
        // encoded only where that can matter
        int bytes = name.length() < CUT ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
        return bytes < TarConstants.NAMELEN ? 0 : TarConstants.DEFAULT_RCDSIZE + bytes + 1 + toFill(bytes + 1);
    }

    /** Zeros after a content. */
    static byte[] fill(long size) {
        return new byte[toFill(size)];
    }

    static int toFill(long size) {
        return (int) -size & TarConstants.DEFAULT_RCDSIZE - 1;
    }

    static int mode(BasicFileAttributes attributes) {
        if (!(attributes instanceof PosixFileAttributes posix)) {
            return -1;
        }
        int mode = 0;
        for (PosixFilePermission permission : posix.permissions()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            mode |= 0400 >> permission.ordinal();
        }
        return mode;
    }

    private static byte[] bytes(TarArchiveEntry entry, long millis) throws IOException {
        // whole seconds, as core sends them: a fraction would need an extra header
        entry.setModTime(FileTime.fromMillis(millis / 1000 * 1000));
        ByteArrayOutputStream out = new ByteArrayOutputStream(TarConstants.DEFAULT_RCDSIZE);
        if (writeLong(TarConstants.LF_GNUTYPE_LONGNAME, entry.getName(), entry, out)) {
            entry.setName(cut(entry.getName()));
        }
        if (writeLong(TarConstants.LF_GNUTYPE_LONGLINK, entry.getLinkName(), entry, out)) {
            entry.setLinkName(cut(entry.getLinkName()));
        }
        write(entry, out);
        return out.toByteArray();
    }

    private static void write(TarArchiveEntry entry, ByteArrayOutputStream out) throws IOException {
        byte[] header = new byte[TarConstants.DEFAULT_RCDSIZE];
        entry.writeEntryHeader(header, NAMES, true);
        out.writeBytes(header);
    }

    /**
     * Writes a name that does not fit into a header as an entry of its own. The library would write the same, but to cut the name for the header
     * it then encodes it once for each character too many: with paths of 2,000 characters that took a millisecond per file and more.
     */
    private static boolean writeLong(byte type, String name, TarArchiveEntry of, ByteArrayOutputStream out)
            throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < TarConstants.NAMELEN) {
            return false;
        }
        TarArchiveEntry entry = new TarArchiveEntry(TarConstants.GNU_LONGLINK, type, true);
        entry.setSize(bytes.length + 1L);
        entry.setModTime(of.getLastModifiedTime());
        write(entry, out);
        out.writeBytes(Arrays.copyOf(bytes, bytes.length + 1));
        out.writeBytes(fill(entry.getSize()));
        return true;
    }

    /** The name in the header itself, for readers that do not know long names. The library takes a slash at the end for a folder. */
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
}
