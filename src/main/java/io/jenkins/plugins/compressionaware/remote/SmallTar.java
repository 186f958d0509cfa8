package io.jenkins.plugins.compressionaware.remote;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Objects;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks tar as this plugin writes it, without a library, into an empty folder of its own: files, folders and symbolic links, with GNU's long names. Trusts
 * nothing: whatever is not plain, not even if it would be no harm, it refuses, and leaves it to the ordinary unpacker and its messages. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class SmallTar {
    private static final int RECORD = 512;

    /** Of the fields of a header. */
    private static final int NAME = 100;

    /** Bytes that a name or a link's target has at most. */
    private static final int LONGEST_NAME = 1024;

    private final InputStream in;
    private final Path root;
    private final byte[] header = new byte[RECORD];
    private int mode;
    private long size;
    private long seconds;
    private Path made;
    private int entries;
    private long contentBytes;

    /** @param root exists, is empty, and is nobody else's */
    public SmallTar(InputStream in, Path root) {
        this.in = in;
        this.root = root;
        made = root;
    }

    /**
     * Reads to the end of the stream.
     *
     * @return how many entries and bytes of contents there are
     * @throws IOException if there is anything for the ordinary unpacker, which then begins anew in another folder
     */
    public long[] unpack() throws IOException {
        try {
            while (next()) {
                entries++;
            }
        } catch (InvalidPathException e) {
            throw new IOException(e);
        }
        // to the end: the checksum of what it was deflated from comes last
        for (int rest = in.read(); rest >= 0; rest = in.read()) {
            check(rest == 0);
        }
        return new long[] {entries, contentBytes};
    }

    private boolean next() throws IOException {
        String name = null;
        String target = null;
        readHeader();
        while (header[156] == 'L' && name == null || header[156] == 'K' && target == null) {
            boolean ofTarget = header[156] == 'K';
            String longName = longName();
            if (ofTarget) {
                target = longName;
            } else {
                name = longName;
            }
        }
        if (header[0] == 0 && name == null && target == null) {
            return false;
        }
        name = name == null ? text(0) : name;
        target = target == null ? text(157) : target;
        if (header[156] == '5') {
            check(size == 0 && target.isEmpty() && name.endsWith("/"));
            makeFolder(path(name));
        } else if (header[156] == '2') {
            check(size == 0 && !name.endsWith("/"));
            Path path = path(name);
            makeFolder(Objects.requireNonNull(path.getParent()));
            Files.createSymbolicLink(path, path.getFileSystem().getPath(target));
        } else {
            check(header[156] == '0' && target.isEmpty() && !name.endsWith("/"));
            Path path = path(name);
            makeFolder(Objects.requireNonNull(path.getParent()));
            write(path);
            contentBytes += size;
        }
        return true;
    }

    private static void check(boolean plain) throws IOException {
        if (!plain) {
            throw new IOException("This tar needs more than is here");
        }
    }

    private void readHeader() throws IOException {
        check(in.readNBytes(header, 0, RECORD) == RECORD);
        if (header[0] == 0) {
            check(Arrays.equals(header, new byte[RECORD]));
            return;
        }
        long sum = 8 * ' ';
        for (int i = 0; i < RECORD; i++) {
            sum += i >= 148 && i < 156 ? 0 : header[i] & 0xff;
        }
        check(octal(148, 6) == sum);
        mode = (int) octal(100, 7) & 0777;
        octal(108, 7); // its owner
        octal(116, 7); // and their group
        size = octal(124, 11);
        seconds = octal(136, 11);
        check(new String(header, 257, 5, StandardCharsets.ISO_8859_1).equals("ustar"));
        for (int i = 329; i < 345; i++) { // of devices
            check(header[i] == 0 || header[i] == '0' || header[i] == ' ');
        }
        for (int i = 345; i < RECORD; i++) { // for the beginnings of names, and what other formats have to say
            check(header[i] == 0);
        }
    }

    /** The name that is the content of an entry; the header that follows is the next one. */
    private String longName() throws IOException {
        check(size > 1 && size <= LONGEST_NAME + 1);
        byte[] name = in.readNBytes((int) size);
        skipPadding();
        check(name.length == size && name[name.length - 1] == 0);
        readHeader();
        return text(name, 0, name.length - 1);
    }

    private void skipPadding() throws IOException {
        int over = (int) (size % RECORD);
        if (over > 0) {
            check(in.readNBytes(RECORD - over).length == RECORD - over);
        }
    }

    private String text(int offset) throws IOException {
        int end = offset;
        while (end < offset + NAME && header[end] != 0) {
            end++;
        }
        return text(header, offset, end - offset);
    }

    private static String text(byte[] bytes, int offset, int length) throws IOException {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        check(text.indexOf(0) < 0
                && Arrays.equals(
                        text.getBytes(StandardCharsets.UTF_8), Arrays.copyOfRange(bytes, offset, offset + length)));
        return text;
    }

    private long octal(int offset, int digits) throws IOException {
        long number = 0;
        for (int i = offset; i < offset + digits; i++) {
            check(header[i] >= '0' && header[i] <= '7');
            number = number << 3 | header[i] - '0';
        }
        check(header[offset + digits] == 0 || header[offset + digits] == ' ');
        return number;
    }

    /** Where an entry belongs. The tar may have been made on another system, where its name was a good one. */
    private Path path(String name) throws IOException {
        Path path = root.resolve(name);
        check(path.startsWith(root) && !path.equals(root) && path.normalize().equals(path));
        return path;
    }

    /**
     * Looks at the disk, from the top: two names may be one there, and a link above a file must not be followed. No folder is ever removed. The last folder is
     * compared as it is spelled: on some disks of Windows a folder {@code a} and a link {@code A} can be told apart.
     */
    private void makeFolder(Path folder) throws IOException {
        if (made != null && folder.toString().equals(made.toString())) {
            return;
        }
        Path path = root;
        Iterator<Path> parts = root.relativize(folder).iterator();
        while (!path.equals(folder)) {
            path = path.resolve(parts.next());
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(path);
            }
        }
        made = folder;
    }

    private void write(Path path) throws IOException {
        // fails if something is there, be it a link
        OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (mode != 0 && File.pathSeparatorChar == ':') {
                Files.setPosixFilePermissions(path, permissions());
            }
            byte[] content = in.readNBytes((int) Math.min(size, Integer.MAX_VALUE));
            check(content.length == size);
            out.write(content);
        } finally {
            out.close();
        }
        skipPadding();
        check(path.toFile().setLastModified(seconds * 1000));
        // Windows takes some names for those of devices
        check(File.separatorChar == '/' || path.toFile().isFile());
    }

    private EnumSet<PosixFilePermission> permissions() {
        EnumSet<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            if ((mode & 0400 >> i) != 0) {
                set.add(all[i]);
            }
        }
        return set;
    }
}
