package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks a tar stream of files that were asked for into an empty folder of its own. Nothing in the stream can make it write outside
 * that folder or through a link: every parent folder it uses, it has made itself. Used by one thread.
 */
public final class TarUnpacker {
    /** What one entry may need besides its content: headers, a long name and link target, padding. Bytes. */
    private static final int MAX_ENTRY_OVERHEAD = 64 * 1024;

    /** What all entries may need in the mean: a name and a link target of 4096 bytes each, as long as Linux has them, need 12 KiB. Bytes. */
    private static final long MEAN_ENTRY_OVERHEAD = 16 * 1024;

    private final Path folder;
    private final Set<Path> awaited = new HashSet<>();
    private final Set<Path> folders = new HashSet<>();
    private final FileWriter writer;
    private int entries;
    private long contentBytes;

    /**
     * @param folder exists, is empty, and is nobody else's
     * @param names  the entries to accept, each once
     * @throws IOException if one of the names cannot be a file below the folder
     */
    public TarUnpacker(Path folder, Set<String> names) throws IOException {
        this.folder = folder;
        writer = new FileWriter(folder);
        folders.add(folder);
        for (String name : names) {
            awaited.add(EntryName.toPath(name));
        }
    }

    /**
     * Reads to the end of the stream.
     *
     * @throws IOException naming the entry and the reason; the folder may then hold a part of the files
     */
    public void unpack(InputStream in) throws IOException {
        OverheadLimit limited =
                new OverheadLimit(in, MAX_ENTRY_OVERHEAD, MAX_ENTRY_OVERHEAD + awaited.size() * MEAN_ENTRY_OVERHEAD);
        try (PlainTar tar = new PlainTar(limited)) {
            for (TarArchiveEntry entry = tar.next(); entry != null; entry = tar.next()) {
                limited.allow(entry.getSize());
                Path name = EntryName.toPath(entry.getName());
                try {
                    unpack(name, entry, tar);
                } catch (RefusedException e) {
                    throw new IOException("Refused " + entry.getName() + ": " + e.getMessage(), e);
                } catch (FileAlreadyExistsException e) {
                    throw new IOException("Refused " + entry.getName() + ": another entry has taken its place", e);
                } catch (IOException e) {
                    if (e == limited.failure()) {
                        throw e;
                    }
                    throw new IOException("Cannot write " + entry.getName() + ": " + reason(e), e);
                }
                limited.startNext();
            }
            limited.drain();
        }
        if (!awaited.isEmpty()) {
            throw new IOException("The agent sent nothing for "
                    + awaited.iterator().next() + (awaited.size() > 1 ? " and " + (awaited.size() - 1) + " more" : ""));
        }
    }

    /** Without the path of the temporary folder, where the exception says more than that. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : e.toString();
        }
        return e.getMessage();
    }

    private void unpack(Path name, TarArchiveEntry entry, InputStream content) throws IOException {
        if (!awaited.remove(name)) {
            throw new RefusedException("not asked for, or sent twice");
        }
        Path path = folder.resolve(name);
        if (entry.isDirectory()) {
            makeFolder(path);
        } else if (entry.isSymbolicLink()) {
            makeFolder(path.getParent());
            createLink(path, entry.getLinkName());
        } else if (entry.getLinkFlag() == TarConstants.LF_NORMAL) {
            makeFolder(path.getParent());
            writer.write(path, content, entry.getSize(), entry.getMode(), entry.getLastModifiedTime());
            contentBytes += entry.getSize();
        } else {
            throw new RefusedException("neither a file, a folder nor a symbolic link");
        }
        entries++;
    }

    private static void createLink(Path path, String target) throws IOException {
        try {
            Files.createSymbolicLink(path, Path.of(target));
        } catch (InvalidPathException | UnsupportedOperationException e) {
            throw new RefusedException("this controller cannot have a link to " + target);
        }
    }

    private void makeFolder(Path path) throws IOException {
        if (folders.contains(path)) {
            return;
        }
        makeFolder(path.getParent());
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new RefusedException(folder.relativize(path) + " is no folder but was sent as something else");
        }
        Files.createDirectory(path);
        folders.add(path);
    }

    /** Entries unpacked so far: files, links and directories. */
    public int entries() {
        return entries;
    }

    /** Bytes of file contents unpacked so far. */
    public long contentBytes() {
        return contentBytes;
    }

    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
