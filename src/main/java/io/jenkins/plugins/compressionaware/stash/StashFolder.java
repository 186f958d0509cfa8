package io.jenkins.plugins.compressionaware.stash;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Util;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeStream;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The stash folder of one build, shared with Jenkins core so that core's stashes stay readable. A stash is a frame file
 * or a core {@code tar.gz}, and is renamed into place when it is complete. If both files of a stash exist, the frame
 * file takes precedence, so a single rename replaces a stash atomically, even after a crash.
 */
@Restricted(NoExternalUse.class)
public record StashFolder(Path folder) {
    private static final Logger LOGGER = Logger.getLogger(StashFolder.class.getName());

    private static final String FRAME_SUFFIX = ".tar.zst";

    private static final String CORE_SUFFIX = ".tar.gz";

    /** Longest file name on Linux, in bytes. */
    private static final int MAX_NAME_BYTES = 255;

    private static final int GZIP_FLAGS_OFFSET = 3;

    private static final int GZIP_EXTRA_FIELD = 4;

    /** Writes the content of a file. */
    public interface Content {
        void writeTo(Path file) throws IOException, InterruptedException;
    }

    public StashFolder(Run<?, ?> build) {
        this(build.getRootDir().toPath().resolve("stashes"));
    }

    /** Returns the path of a stash stored as frames. The path has core's shorter suffix if the name is too long for the frame suffix. */
    public Path framePath(String name) {
        boolean tooLong = (encodable(name) + FRAME_SUFFIX).getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES;
        return file(name, tooLong ? CORE_SUFFIX : FRAME_SUFFIX);
    }

    private Path corePath(String name) {
        return file(name, CORE_SUFFIX);
    }

    private Path file(String name, String suffix) {
        Path file = folder.resolve(encodable(name) + suffix);
        if (!folder.equals(file.getParent())) {
            throw new IllegalArgumentException("Not the name of a stash: " + name);
        }
        return file;
    }

    /** Replaces characters that the file system encoding lacks with question marks, as {@code java.io.File} does in core. */
    private static String encodable(String name) {
        try {
            Path.of(name);
            return name;
        } catch (InvalidPathException e) {
            Charset here = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
            return new String(name.getBytes(here), here);
        }
    }

    /** Returns the file of a stash, or null if the stash does not exist. */
    @CheckForNull
    public Path find(String name) {
        return Stream.of(framePath(name), corePath(name))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a stash is in core's format. The suffix is not sufficient, because a frame file with a long name has core's suffix. */
    static boolean isCoreFormat(Path stash) throws IOException {
        try (InputStream in = Files.newInputStream(stash)) {
            byte[] start = in.readNBytes(GZIP_FLAGS_OFFSET + 1);
            // a gzip member of a frame file has an extra field (RFC 1952), a file of core does not
            return start.length > GZIP_FLAGS_OFFSET
                    && (start[0] & 0xFF | (start[1] & 0xFF) << 8) == GZIPInputStream.GZIP_MAGIC
                    && (start[GZIP_FLAGS_OFFSET] & GZIP_EXTRA_FIELD) == 0;
        }
    }

    /** Creates a file that {@link FrameFileWriter#commit} moves into place. */
    public FrameFileWriter newFrameFile(String name, StagingJournal journal, int blockSize) throws IOException {
        create();
        return new FrameFileWriter(framePath(name), journal, blockSize);
    }

    /** Adds a stash whose frames are in a store. The record gets the last bytes of the object. */
    public void addRecord(String name, StagingJournal journal, StoredRecord record, byte[] end)
            throws IOException, InterruptedException {
        add(() -> framePath(name), journal, partial -> record.write(partial, end));
    }

    /** Creates the folder if necessary, and returns a path for an incomplete file. */
    public Path newPartial() throws IOException {
        create();
        return PartialPath.create(folder);
    }

    /** Creates no parent folder, so that a build that is being deleted does not reappear. */
    private void create() throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            // or a link to a folder
        }
    }

    /** Deletes core's file of a stash that now has a frame file. The file would reappear if this plugin were removed. */
    public void deleteCoreFile(String name) {
        try {
            if (!framePath(name).equals(corePath(name))) {
                Files.deleteIfExists(corePath(name));
            }
        } catch (IOException e) { // a virus scanner may have the file open; the frame file takes precedence anyway
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + corePath(name) + ", which a newer stash replaces");
        }
    }

    /**
     * Adds a file in core's format.
     *
     * @param content writes the file as the agent sends it
     * @throws IOException if the file has another format; every frame file here was verified by {@code FrameFileWriter}
     */
    public void addCoreFile(String name, StagingJournal journal, Content content)
            throws IOException, InterruptedException {
        // a frame file would take precedence
        add(() -> Files.exists(framePath(name)) ? framePath(name) : corePath(name), journal, partial -> {
            content.writeTo(partial);
            if (!isCoreFormat(partial)) {
                throw new IOException("The agent sent the stash ‘" + name + "’ in a format that is not Jenkins' own");
            }
        });
    }

    public void clear() throws IOException {
        Util.deleteRecursive(folder.toFile());
    }

    /** Copies all stashes, each in its own format, to the folder of a build that reads both formats. */
    public void copyTo(StashFolder to, StagingJournal journal) throws IOException, InterruptedException {
        for (String name : names()) {
            Path file = Objects.requireNonNull(find(name), name);
            to.add(() -> to.folder.resolve(file.getFileName()), journal, partial -> copy(file, partial));
        }
    }

    /**
     * Copies all stashes to the folder of a build that reads only core's format.
     *
     * @param executor decodes frames
     */
    public void exportInCoreFormat(StashFolder to, StagingJournal journal, Executor executor)
            throws IOException, InterruptedException {
        for (String name : names()) {
            Path file = Objects.requireNonNull(find(name), name);
            to.add(() -> to.corePath(name), journal, partial -> {
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

    /** Copies a stash. One in a store is copied to this disk, because its object is deleted with its build. */
    private static void copy(Path file, Path partial) throws IOException {
        if (StoredRecord.of(file) == null) {
            Files.copy(file, partial);
            return;
        }
        try (InputStream stored = new RangeStream(StoredRecord.open(file))) {
            Files.copy(stored, partial);
        }
    }

    /** @param target evaluated when the content is complete */
    private void add(Supplier<Path> target, StagingJournal journal, Content content)
            throws IOException, InterruptedException {
        Path partial = newPartial();
        try (StagingJournal.Entry entry = journal.open(partial)) {
            try {
                content.writeTo(partial);
                PartialPath.publish(partial, target.get());
            } finally {
                PartialPath.discard(partial);
            }
        }
    }

    private Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
                for (Path file : all) {
                    String name = folder.relativize(file).toString();
                    for (String suffix : List.of(FRAME_SUFFIX, CORE_SUFFIX)) {
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
