package io.jenkins.plugins.compressionaware.remote;

import io.jenkins.plugins.compressionaware.tar.TarReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.Objects;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a tar into an empty folder of its own, with as few classes as possible: files, folders and symbolic links. Trusts nothing: refuses whatever is not
 * plain, even if it would do no harm, and leaves it to the ordinary unpacker and its messages. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class SmallTar {
    /** Most characters of a name. */
    private static final int LONGEST_NAME = 1024;

    /** Latest time, seconds since 1970: about the year 2242. */
    private static final long MOST_SECONDS = 1L << 33;

    private final TarReader tar;
    private final Path root;
    private Path made;
    private int entries;
    private long contentBytes;

    /** @param root exists, is empty, and is used by nobody else */
    public SmallTar(InputStream in, Path root) {
        tar = new TarReader(in, Long.MAX_VALUE);
        this.root = root;
        made = root;
    }

    /**
     * Reads to the end of the stream.
     *
     * @return number of entries, and bytes of their contents
     * @throws IOException if anything needs the ordinary unpacker, which then begins anew in another folder
     */
    public long[] unpack() throws IOException {
        try {
            while (tar.next()) {
                unpackOne();
                entries++;
            }
        } catch (InvalidPathException e) {
            throw new IOException(e);
        }
        return new long[] {entries, contentBytes};
    }

    private void unpackOne() throws IOException {
        Path path = path(tar.name());
        boolean isFolder = tar.name().endsWith("/");
        if (tar.kind() == '0') {
            check(!isFolder);
            makeFolder(Objects.requireNonNull(path.getParent()));
            write(path);
            contentBytes += tar.size();
            return;
        }
        check(tar.size() == 0);
        if (tar.kind() == '5') {
            makeFolder(path);
        } else {
            check(tar.kind() == '2' && !isFolder);
            makeFolder(Objects.requireNonNull(path.getParent()));
            Files.createSymbolicLink(path, path.getFileSystem().getPath(tar.target()));
        }
    }

    private static void check(boolean plain) throws IOException {
        if (!plain) {
            throw new IOException("This tar needs the ordinary unpacker");
        }
    }

    /** The path of an entry. Its name may be valid only on the system on which the tar was made. */
    private Path path(String name) throws IOException {
        check(name.length() <= LONGEST_NAME);
        Path path = root.resolve(name);
        check(path.startsWith(root) && !path.equals(root) && path.normalize().equals(path));
        return path;
    }

    /**
     * Looks at the disk, from the top: two names may be one there, and a link above a file must not be followed. No folder is ever removed. The last folder is
     * compared by its spelling: some Windows disks tell a folder {@code a} from a link {@code A}.
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
        // fails if anything is there, even a link
        OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (tar.mode() != 0 && File.pathSeparatorChar == ':') {
                Files.setPosixFilePermissions(path, TarReader.permissions(tar.mode()));
            }
            byte[] content = tar.readNBytes((int) Math.min(tar.size(), Integer.MAX_VALUE));
            check(content.length == tar.size());
            out.write(content);
        } finally {
            out.close();
        }
        check(tar.seconds() >= 0 && tar.seconds() < MOST_SECONDS);
        check(path.toFile().setLastModified(tar.seconds() * 1000));
        // Windows takes some names for devices
        check(File.separatorChar == '/' || path.toFile().isFile());
    }
}
