package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The links of a tar, kept until all files are written, because nothing may be written through a link of the same tar. Used by one thread. */
final class KeptLinks {
    /** How often to retry creating a link, because other processes may create a file of its name. */
    private static final int MAX_LINK_RETRIES = 10;

    /** Heap of a link besides its characters, bytes. */
    private static final int LINK_OVERHEAD = 512;

    private final Workspace folder;

    /** Links of the tar by name, kept until all files are written. */
    private final Map<Path, Link> links = new LinkedHashMap<>();

    /** Approximate heap of all links so far, bytes. */
    private long heap;
    /** Limit of the links' heap, bytes; 0 for a private folder. Beyond it, all links are created immediately and no link is followed. */
    long maxHeap;

    boolean refused;

    KeptLinks(Workspace folder) {
        this.folder = folder;
    }

    /** @param path path of the link, in a folder that was created */
    record Link(Path name, Path path, Path target) implements Comparable<Link> {
        /** Sorts the longest path first. */
        @Override
        public int compareTo(Link other) {
            return other.path.getNameCount() - path.getNameCount();
        }
    }

    /** Fails if a kept link has the name of the entry or of one of its parents. */
    void check(@CheckForNull Path name) throws EntryRejectedException {
        for (Path part = name; part != null && !links.isEmpty(); part = part.getParent()) {
            if (links.containsKey(part)) {
                throw new EntryRejectedException(part + " is no folder but was sent as something else");
            }
        }
    }

    /** Keeps a link for later. Returns false if the links need too much heap, and all must be created now, once no file is being written. */
    boolean keep(Link link) throws EntryRejectedException {
        if (refused) {
            throw new EntryRejectedException("it is a symbolic link");
        }
        links.put(link.name, link);
        heap += LINK_OVERHEAD
                + link.path.toString().length()
                + link.target.toString().length();
        if (heap > maxHeap) {
            folder.stopFollowing();
            return false;
        }
        return true;
    }

    /** Returns the kept links, longest paths first, so that a link is created only in a folder that existed when the link arrived. */
    List<Link> kept() {
        List<Link> kept = new ArrayList<>(links.values());
        Collections.sort(kept);
        return kept;
    }

    /** Returns the name of the kept link that arrived first; null if there is none. */
    @CheckForNull
    Path firstKept() {
        return links.isEmpty() ? null : links.keySet().iterator().next();
    }

    /** Keeps none of the links, because the next link may replace its folder. */
    void forget() {
        links.clear();
    }

    /** Creates a link. Warns if the disk or the user cannot have links. If the disk refuses a file, too, fails as for a file. */
    void place(Link link) throws IOException {
        try {
            placeLink(link);
        } catch (UnsupportedOperationException | AccessDeniedException e) {
            folder.warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, link.name, PendingFile.reason(e));
        } catch (FileSystemException e) {
            checkDisk(link, e);
            try {
                placeLink(link);
            } catch (FileSystemException again) {
                folder.warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, link.name, PendingFile.reason(again));
            }
        }
    }

    /** Writes and deletes a file as long as the link, and throws the failure of the link if this fails. */
    private void checkDisk(Link link, FileSystemException failure) throws IOException {
        Path partial = FileCreator.partial(link.path);
        try (OutputStream out = folder.writer.create(partial, 0, false)) {
            out.write(link.target.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Replaces a file, a link or an empty folder, which stays until its replacement exists. */
    private void placeLink(Link link) throws IOException {
        Path path = link.path;
        for (int left = MAX_LINK_RETRIES; ; left--) {
            try {
                BasicFileAttributes existing = folder.writer.attributes(path);
                if (existing == null) {
                    folder.writer.link(path, link.target);
                } else if (folder.isPrivate) {
                    folder.deleteExisting(path, link.name);
                    continue;
                } else if (existing.isOther()) {
                    throw new FileSystemException(null, null, "a device, a pipe or a socket is in its place");
                } else {
                    replace(path, existing.isDirectory(), link.target);
                }
                folder.arrived.incrementAndGet();
                return;
            } catch (FileAlreadyExistsException e) { // by another process
                if (left == 0) {
                    throw e;
                }
            } catch (DirectoryNotEmptyException e) {
                folder.warn(ExtractionWarning.Type.DIRECTORY_NOT_REPLACED, link.name, "");
                return;
            }
        }
    }

    private void replace(Path path, boolean isFolder, Path target) throws IOException {
        Path partial = FileCreator.partial(path);
        folder.writer.link(partial, target);
        try {
            if (isFolder) { // a rename would replace only a file
                Files.deleteIfExists(path);
            }
            folder.writer.rename(partial, path);
        } finally {
            Files.deleteIfExists(partial);
        }
        folder.forgetFolders(0);
    }
}
