package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks a tar stream of files that were asked for into an empty folder of its own. Nothing in the stream can make it write outside
 * that folder or through a link: see {@link OwnFolder}. Used by one thread.
 */
public final class TarUnpacker {
    /** What one entry may need besides its content: headers, a long name and link target, padding. Bytes. */
    private static final int MAX_ENTRY_OVERHEAD = 64 * 1024;

    /** What all entries may need in the mean: a name and a link target of 4096 bytes each, as long as Linux has them, need 12 KiB. Bytes. */
    private static final long MEAN_ENTRY_OVERHEAD = 16 * 1024;

    private final Path root;
    private final OwnFolder folder;
    private final FileWriter writer;
    /** How often to accept each: two names may be one on the disk. */
    private final Map<Path, Integer> awaited = new HashMap<>();

    private final Map<Remark.Kind, Remark> remarks = new EnumMap<>(Remark.Kind.class);
    private final boolean any;
    private int entries;

    /**
     * @param folder exists, is empty, and is nobody else's
     * @param names  the entries to accept, each once
     * @throws IOException if one of the names cannot be a file below the folder
     */
    public TarUnpacker(Path folder, Set<String> names) throws IOException {
        root = folder;
        this.folder = new OwnFolder(folder);
        writer = new FileWriter(folder);
        any = false;
        for (String name : names) {
            awaited.merge(EntryName.toPath(folder, name), 1, Integer::sum);
        }
    }

    /**
     * Accepts whatever has a name below the folder.
     *
     * @param folder exists, is empty, and is nobody else's
     */
    public TarUnpacker(Path folder) {
        root = folder;
        this.folder = new OwnFolder(folder);
        writer = new FileWriter(folder);
        any = true;
    }

    /**
     * Reads to the end of the stream.
     *
     * @throws IOException naming the entry and the reason; the folder may then hold a part of the files
     */
    public void unpack(InputStream in) throws IOException {
        long forAll = any ? Long.MAX_VALUE : MAX_ENTRY_OVERHEAD + awaited.size() * MEAN_ENTRY_OVERHEAD;
        OverheadLimit limited = new OverheadLimit(in, MAX_ENTRY_OVERHEAD, forAll);
        try (PlainTar tar = new PlainTar(limited)) {
            for (TarArchiveEntry entry = tar.next(); entry != null; entry = tar.next()) {
                limited.allow(entry.getSize());
                Path name = EntryName.toPath(root, entry.getName());
                try {
                    unpack(name, entry, tar);
                } catch (RefusedException e) {
                    throw new IOException("Refused " + entry.getName() + ": " + e.getMessage(), e);
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
            Path first = awaited.keySet().iterator().next();
            String others = awaited.size() > 1 ? " and " + (awaited.size() - 1) + " more" : "";
            throw new IOException("The agent sent nothing for " + first + others);
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
        if (!any && !isAwaited(name)) {
            throw new RefusedException("not asked for, or sent twice");
        }
        if (entry.isDirectory()) {
            folder.makeFolder(name);
        } else if (entry.isSymbolicLink()) {
            unpackLink(name, entry.getLinkName());
        } else if (entry.getLinkFlag() == TarConstants.LF_NORMAL) {
            boolean taken = folder.place(
                    name,
                    path -> writer.write(path, content, entry.getSize(), entry.getMode(), entry.getLastModifiedTime()));
            if (taken) {
                remark(Remark.Kind.NAME_TAKEN, name, "");
            }
        } else {
            throw new RefusedException("neither a file, a folder nor a symbolic link");
        }
        entries++;
    }

    private boolean isAwaited(Path name) {
        Integer times = awaited.get(name);
        if (times == null) {
            return false;
        }
        if (times > 1) {
            awaited.put(name, times - 1);
        } else {
            awaited.remove(name);
        }
        return true;
    }

    /** Core goes on without a link that it cannot create, whatever the reason. */
    private void unpackLink(Path name, String target) throws IOException {
        folder.makeFolder(name.getParent());
        try {
            if (folder.placeLink(name, name.getFileSystem().getPath(target))) {
                remark(Remark.Kind.NAME_TAKEN, name, "");
            }
        } catch (InvalidPathException e) {
            remark(Remark.Kind.LINK_LEFT_OUT, name, e.getReason());
        } catch (UnsupportedOperationException e) {
            remark(Remark.Kind.LINK_LEFT_OUT, name, String.valueOf(e.getMessage()));
        } catch (FileSystemException e) {
            remark(Remark.Kind.LINK_LEFT_OUT, name, reason(e));
        }
    }

    private void remark(Remark.Kind kind, Path name, String reason) {
        remarks.merge(kind, new Remark(kind, 1, name.toString(), reason), (first, other) -> first.oneMore());
    }

    /** Entries unpacked so far: files, links and directories. */
    public int entries() {
        return entries;
    }

    /** Bytes of file contents unpacked so far. Any thread may ask. */
    public long contentBytes() {
        return writer.written();
    }

    /** At most one of each kind. */
    public List<Remark> remarks() {
        return List.copyOf(remarks.values());
    }
}
