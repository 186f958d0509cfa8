package io.jenkins.plugins.compressionaware.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Files for a folder that others use, such as a workspace. They are assembled elsewhere on the same disk, and get their names when all of them are
 * there: at any time, each file in that folder is either the old or the new one. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class WorkspaceTree implements Closeable {
    /** A folder unchanged for this long, in milliseconds, belongs to a process that has died: nothing else tells whether another process uses it. */
    private static final long ABANDONED = 24L * 60 * 60 * 1000;

    /** Folders of this process that are not closed: they stay even if the clock jumps by a day. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    /** Core's own switch, which applies on controllers and agents alike. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    private final FileOperations files;
    private final Path target;
    private final Path folder;
    private final boolean followsLinks;

    /**
     * @param target       created if it does not exist; a link to a folder is followed, as core does
     * @param temp         hidden folder, used if it is on the same disk; need not exist. Null if there is none
     * @param followsLinks whether to write through links in the target, unless core's switch on this machine says otherwise
     */
    public WorkspaceTree(Path target, @CheckForNull String temp, boolean followsLinks) throws IOException {
        this(target, temp, followsLinks, new FileOperations());
    }

    WorkspaceTree(Path target, @CheckForNull String temp, boolean followsLinks, FileOperations files)
            throws IOException {
        this.files = files;
        this.target = made(target);
        String told = System.getProperty(FOLLOW_LINKS);
        this.followsLinks = told == null ? followsLinks : Boolean.parseBoolean(told);
        folder = newFolder(this.target, temp == null ? null : target.resolveSibling(temp));
        OPEN.add(folder);
        try {
            deleteAbandoned();
        } catch (IOException e) {
            // not essential here: the next tree tries again
        }
    }

    /** Resolves a link to a folder: not every JDK accepts one as an existing folder, and {@link TreeMove} never does. */
    private static Path made(Path target) throws IOException {
        return Files.isSymbolicLink(target) && Files.isDirectory(target)
                ? target.toRealPath()
                : Files.createDirectories(target);
    }

    private static Path newFolder(Path target, @CheckForNull Path temp) throws IOException {
        Path within = PartialPath.in(target);
        try {
            Files.createDirectory(within);
        } catch (FileSystemException e) {
            if (temp == null) {
                throw e;
            }
            // folders below may still be writable
            return Files.createDirectory(PartialPath.in(Files.createDirectories(temp)));
        }
        if (temp != null) {
            try {
                // only a rename proves that files can be renamed from there
                return Files.move(
                        within, PartialPath.in(Files.createDirectories(temp)), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                // it is on another disk, or nobody may write there
            }
        }
        return within;
    }

    private void deleteAbandoned() throws IOException {
        for (Path child : FileOperations.list(Objects.requireNonNull(folder.getParent()))) {
            if (PartialPath.is(child)
                    && !OPEN.contains(child)
                    && System.currentTimeMillis() - child.toFile().lastModified() > ABANDONED) {
                files.deleteAll(child);
            }
        }
    }

    /** The folder to fill. */
    public Path folder() {
        return folder;
    }

    /**
     * Moves everything into the target. Files and links of the same name are replaced, others stay. May wait up to ten seconds for files that cannot be
     * renamed now.
     *
     * @return landing warnings
     * @throws IOException          that names what is in the way, with nothing moved; or what has arrived and what is missing
     * @throws InterruptedException if interrupted before the last file has moved; the message names what has arrived and what is missing
     */
    public List<LandingWarning> commit() throws IOException, InterruptedException {
        // others may be at work in the target, in this process or another: no lock would keep them out
        return TreeMove.intoWorkspace(folder, target, followsLinks, files).run(new ReentrantLock());
    }

    /** Removes what was not moved; what cannot be removed is left for a tree after a day. */
    @Override
    public void close() {
        try {
            files.deleteAll(folder);
        } catch (IOException e) {
            // does not affect the result of the transfer
        } finally {
            OPEN.remove(folder);
        }
    }
}
