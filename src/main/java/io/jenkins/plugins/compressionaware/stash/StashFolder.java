package io.jenkins.plugins.compressionaware.stash;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Util;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.RetryingRename;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The folder with the stashes of one build: core's folder, in which core's own stashes stay readable. A stash is a file in our format or core's, and gets
 * its name only when it is complete. If files with both names exist, ours counts. One rename is therefore enough to replace a stash, even if others
 * replace it at the same time, or if a crash follows.
 */
@Restricted(NoExternalUse.class)
public final class StashFolder {
    private static final Logger LOGGER = Logger.getLogger(StashFolder.class.getName());

    /** Suffix of a file of frames. */
    private static final String OURS = ".tar.zst";

    private static final String CORES = ".tar.gz";

    /** Most bytes of a file name on Linux. */
    private static final int LONGEST_NAME = 255;

    /** Offset of the flags in a gzip header (RFC 1952). */
    private static final int GZIP_FLAGS = 3;

    private static final int EXTRA_FIELD = 4;

    private final Path folder;

    public StashFolder(Run<?, ?> build) {
        this(build.getRootDir().toPath().resolve("stashes"));
    }

    StashFolder(Path folder) {
        this.folder = folder;
    }

    /** Returns the path of a stash that is stored as frames; has core's shorter name if ours is too long for a disk. */
    public Path framePath(String name) {
        boolean isTooLong = (onDisk(name) + OURS).getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME;
        return file(name, isTooLong ? CORES : OURS);
    }

    private Path corePath(String name) {
        return file(name, CORES);
    }

    private Path file(String name, String suffix) {
        Path file = folder.resolve(onDisk(name) + suffix);
        if (!folder.equals(file.getParent())) {
            throw new IllegalArgumentException("Not the name of a stash: " + name);
        }
        return file;
    }

    /**
     * Replaces characters that file names cannot have here, such as an umlaut in the C locale, by question marks, as core's {@code java.io.File}
     * does.
     */
    private static String onDisk(String name) {
        try {
            Path.of(name);
            return name;
        } catch (InvalidPathException e) {
            Charset here = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
            return new String(name.getBytes(here), here);
        }
    }

    /** The file of a stash; null if there is none. */
    @CheckForNull
    public Path find(String name) {
        return Stream.of(framePath(name), corePath(name))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElse(null);
    }

    /** Whether a stash is in core's format, which its name does not always tell. */
    static boolean isCoreFormat(Path stash) throws IOException {
        try (InputStream in = Files.newInputStream(stash)) {
            byte[] start = in.readNBytes(GZIP_FLAGS + 1);
            // our frames have an extra field, core's files do not
            return start.length > GZIP_FLAGS
                    && (start[0] & 0xFF | (start[1] & 0xFF) << 8) == GZIPInputStream.GZIP_MAGIC
                    && (start[GZIP_FLAGS] & EXTRA_FIELD) == 0;
        }
    }

    /** A path for an incomplete file. Creates the folder. */
    public Path newPartial() throws IOException {
        Files.createDirectories(folder);
        return PartialPath.create(folder);
    }

    /** Deletes core's file of a stash that has a new file of ours: it would reappear if this plugin were removed. */
    public void deleteCoreFile(String name) {
        try {
            if (!framePath(name).equals(corePath(name))) {
                Files.deleteIfExists(corePath(name));
            }
        } catch (IOException e) { // such as a virus scanner that has it open; the new file counts all the same
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete the earlier stash " + corePath(name));
        }
    }

    /** Moves a complete file in core's format into place. */
    public void commitCoreFile(String name, Path partial) throws IOException {
        Path file = Files.exists(framePath(name)) ? framePath(name) : corePath(name);
        RetryingRename.move(partial, file);
    }

    public void clear() throws IOException {
        Util.deleteRecursive(folder.toFile());
    }

    /** Copies all stashes to a build whose manager reads both formats. */
    public void copyTo(StashFolder to) throws IOException {
        for (String name : names()) {
            Path file = Objects.requireNonNull(find(name), name);
            to.add(
                    file.equals(framePath(name)) ? to.framePath(name) : to.corePath(name),
                    partial -> Files.copy(file, partial));
        }
    }

    /**
     * Copies all stashes to a build whose manager reads only core's format.
     *
     * @param executor decodes
     */
    public void exportInCoreFormat(StashFolder to, Executor executor) throws IOException {
        for (String name : names()) {
            Path file = Objects.requireNonNull(find(name), name);
            to.add(to.corePath(name), partial -> {
                if (isCoreFormat(file)) {
                    Files.copy(file, partial);
                    return;
                }
                try (FrameFile frames = FrameFile.open(file);
                        InputStream tar = new FrameFileTarInputStream(frames, executor);
                        OutputStream out = new GZIPOutputStream(Files.newOutputStream(partial))) {
                    tar.transferTo(out);
                }
            });
        }
    }

    private interface Content {
        void writeTo(Path file) throws IOException;
    }

    private void add(Path target, Content content) throws IOException {
        Path partial = newPartial();
        try {
            content.writeTo(partial);
            RetryingRename.move(partial, target);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
                for (Path file : all) {
                    String name = folder.relativize(file).toString();
                    for (String suffix : List.of(OURS, CORES)) {
                        if (name.endsWith(suffix) && Files.isRegularFile(file)) {
                            names.add(name.substring(0, name.length() - suffix.length()));
                        }
                    }
                }
            }
        }
        return names;
    }
}
