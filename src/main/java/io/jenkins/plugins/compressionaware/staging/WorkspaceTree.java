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
 * Files for a folder that others use, such as a workspace. They are put together elsewhere on the same disk, and get their names when all of them are
 * there: a file of that folder is as before or as after, at any time. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class WorkspaceTree implements Closeable {
    /** One that has not changed for so long is of a process that has died, milliseconds: no one tells whether another process uses it. */
    private static final long ABANDONED = 24L * 60 * 60 * 1000;

    /** Folders of this process that are not closed: they stay even if the clock jumps by a day meanwhile. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    /** Core's own switch, which is for either kind of machine. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    private final FileOperations files;
    private final Path target;
    private final Path folder;
    private final boolean followsLinks;

    /**
     * @param target       is made if it does not exist; a link to a folder is followed, as core does
     * @param temp         a folder for what nobody should see, used if it is on the same disk; need not exist. Null if there is none
     * @param followsLinks whether core writes through links in the target on such a machine, unless it is told otherwise there
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
            // not what was asked for: the next one tries again
        }
    }

    /** Where it is, if it is a link: not every JDK takes a link for a folder that is there already, and {@link TreeMove} none. */
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
            // it may still be allowed to write into folders below
            return Files.createDirectory(PartialPath.in(Files.createDirectories(temp)));
        }
        if (temp != null) {
            try {
                // nothing else says for sure that files can be renamed from there
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
     * Moves everything to its name. Files and links of the same name are replaced, others stay. May wait ten seconds for what cannot be renamed now.
     *
     * @return what did not land as it should
     * @throws IOException          naming what is in the way: nothing has moved then; or what has arrived and what is missing
     * @throws InterruptedException if interrupted before the last file has moved, with the same in its message
     */
    public List<LandingWarning> commit() throws IOException, InterruptedException {
        // others may be at work in the target, in this process or another: no lock would keep them out
        return TreeMove.intoWorkspace(folder, target, followsLinks, files).run(new ReentrantLock());
    }

    /** Removes what was not moved; what cannot be removed goes a day later. */
    @Override
    public void close() {
        try {
            files.deleteAll(folder);
        } catch (IOException e) {
            // the transfer itself has ended as it has ended
        } finally {
            OPEN.remove(folder);
        }
    }
}
