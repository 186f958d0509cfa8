package io.jenkins.plugins.compressionaware.packed;

import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Turns packed artifacts back into files. */
@Restricted(NoExternalUse.class)
public final class Unpacker {
    private final Path folder;

    /** Symbolic links, created after all files, so that nothing is written through them. */
    private final Map<Path, String> links = new TreeMap<>();

    private int files;

    private Unpacker(Path folder) {
        this.folder = folder;
    }

    /**
     * Replaces the packed archives of a build by the files in them, all or none. Readers see the artifacts all the time.
     *
     * @return the number of files and links; 0 if nothing is packed
     */
    public static int replace(Path archive, StagingJournal journal) throws IOException, InterruptedException {
        Collection<Path> packed =
                PackedArchive.list(archive.resolve(PackedArchive.FOLDER)).values();
        if (packed.isEmpty()) {
            return 0;
        }
        int count;
        try (StagedArchive staged = new StagedArchive(archive, journal)) {
            count = unpack(packed, staged.folder());
            PackedArchive.refuseForged(staged.folder());
            deleteExisting(staged.folder(), archive);
            staged.commit();
        }
        for (Path file : packed) {
            Files.delete(file);
        }
        StoreCleanup.takeUnused(archive.resolveSibling(""));
        try {
            Files.delete(archive.resolve(PackedArchive.FOLDER));
        } catch (DirectoryNotEmptyException e) {
            return count; // a build may archive into a folder of this name
        }
        return count;
    }

    /** Unpacks all packed archives of a build into an empty folder. */
    public static int unpack(Path archive, Path target) throws IOException {
        return unpack(PackedArchive.list(archive.resolve(PackedArchive.FOLDER)).values(), target);
    }

    static int unpack(Collection<Path> packed, Path target) throws IOException {
        Unpacker unpacker = new Unpacker(target);
        for (Path file : packed) {
            try (FrameFile frames = FrameFile.open(file);
                    TarArchiveInputStream tar =
                            new TarArchiveInputStream(new FrameFileTarInputStream(frames, Runnable::run), "UTF-8")) {
                StoredRecord record = StoredRecord.of(file);
                if (record == null) {
                    unpacker.add(tar);
                } else {
                    unpacker.add(tar, PackedFile.of(file), record.files().size());
                }
            } catch (IOException | RuntimeException e) { // such as an InvalidPathException
                throw new IOException("Cannot unpack " + file + ": " + e.getMessage(), e);
            }
        }
        for (Map.Entry<Path, String> link : unpacker.links.entrySet()) {
            Path path = link.getKey();
            if (!Objects.requireNonNull(path.getParent()).toRealPath().startsWith(target.toRealPath())) {
                throw new IOException("Refused " + path + ": it leaves the archive folder");
            }
            Files.createSymbolicLink(path, Path.of(link.getValue()));
        }
        return unpacker.files + unpacker.links.size();
    }

    private void add(TarArchiveInputStream tar) throws IOException {
        for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
            add(entry, tar, entry.isSymbolicLink());
        }
    }

    /**
     * Adds the files of a tar that the controller has not seen.
     *
     * @param list    the entries that the controller has checked, unless it was damaged, and rebuilt from this tar
     * @param objects number of files with objects of their own
     */
    private void add(TarArchiveInputStream tar, PackedFile list, int objects) throws IOException {
        Set<String> found = new HashSet<>();
        int objectsFound = 0;
        for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
            TarEntry listed = listed(entry, list);
            found.add(listed.name());
            if (listed.type() == TarEntry.OBJECT) {
                objectsFound++;
                try (InputStream object = list.open(listed)) {
                    add(entry, object, false);
                }
            } else {
                add(entry, tar, listed.type() == TarEntry.LINK);
            }
        }
        int[] missing = {-found.size()};
        list.visit("", each -> {
            missing[0]++;
            return "";
        });
        if (missing[0] != 0) {
            throw new IOException("its tar lacks " + missing[0] + " of the files in its list");
        }
        if (objectsFound != objects) { // all of them are deleted afterwards
            throw new IOException("its tar has " + objectsFound + " of " + objects + " objects");
        }
    }

    private static TarEntry listed(TarArchiveEntry entry, PackedFile list) throws IOException {
        String name = TarWalker.normal(entry.getName());
        TarEntry listed = list.first(name);
        if (listed == null
                || !listed.name().equals(name)
                || entry.getLinkFlag() != (listed.type() == TarEntry.OBJECT ? TarEntry.LINK : listed.type())
                || entry.getSize() != (listed.type() == TarEntry.OBJECT ? 0 : listed.size())
                || !entry.getLinkName().equals(listed.target())) {
            throw new IOException("its list does not have " + name + " as its tar does");
        }
        return listed;
    }

    private void add(TarArchiveEntry entry, InputStream content, boolean isLink) throws IOException {
        Path path = folder.resolve(entry.getName()).normalize();
        Path parent = path.getParent();
        if (parent == null || !parent.startsWith(folder)) {
            throw new IOException("Refused " + entry.getName() + ": it leaves the archive folder");
        }
        if (entry.getLinkFlag() == TarEntry.FOLDER) { // not isDirectory, which believes the name
            Files.createDirectories(path);
        } else if (isLink) {
            Files.createDirectories(parent);
            files -= Files.deleteIfExists(path) ? 1 : 0;
            links.put(path, entry.getLinkName());
        } else {
            addFile(path, parent, entry, content);
        }
    }

    private void addFile(Path path, Path parent, TarArchiveEntry entry, InputStream content) throws IOException {
        links.remove(path);
        files += Files.exists(path) ? 0 : 1;
        Files.createDirectories(parent);
        Files.copy(content, path, StandardCopyOption.REPLACE_EXISTING);
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view != null) {
            view.setPermissions(permissions(entry.getMode()));
        }
        Files.setLastModifiedTime(path, FileTime.fromMillis(entry.getModTime().getTime()));
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & 0400 >> permission.ordinal()) != 0) {
                set.add(permission);
            }
        }
        return set;
    }

    /** Deletes files and links that the archive has, too, because those are newer. Looks for the staged ones, because a staged link may lead elsewhere. */
    private static void deleteExisting(Path staged, Path archive) throws IOException {
        try (var all = Files.walk(staged)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                Path existing = archive.resolve(staged.relativize(file).toString());
                if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
                        && Files.exists(existing, LinkOption.NOFOLLOW_LINKS)
                        && !Files.isDirectory(existing, LinkOption.NOFOLLOW_LINKS)) {
                    Files.delete(file);
                }
            }
        }
    }
}
