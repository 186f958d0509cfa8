package io.jenkins.plugins.compressionaware.stash;

import hudson.Util;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.receive.StoredTar;
import io.jenkins.plugins.compressionaware.staging.PartialFile;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executor;
import java.util.zip.GZIPOutputStream;

/**
 * The folder with the stashes of one build: that of core, whose own stashes stay readable in it. A stash is a file of one or the other kind, and has
 * its name only when it is whole.
 */
public final class Stashes {
    /** Of a file of frames. */
    private static final String OURS = ".tar.zst";

    private static final String CORES = ".tar.gz";

    private final Path folder;

    public Stashes(Run<?, ?> build) {
        this(build.getRootDir().toPath().resolve("stashes"));
    }

    Stashes(Path folder) {
        this.folder = folder;
    }

    /** Where a stash is whose frames are stored; it need not exist. */
    public Path ours(String name) {
        return file(name, OURS);
    }

    /** Where a stash is that core has made, or another by core's means; it need not exist. */
    public Path cores(String name) {
        return file(name, CORES);
    }

    private Path file(String name, String suffix) {
        Path file = folder.resolve(name + suffix);
        if (!folder.equals(file.getParent())) {
            throw new IllegalArgumentException("Not the name of a stash: " + name);
        }
        return file;
    }

    public boolean exists(String name) {
        return Files.isRegularFile(ours(name)) || Files.isRegularFile(cores(name));
    }

    /** A name for a file that is not whole yet; makes the folder. */
    public Path newPartial() throws IOException {
        Files.createDirectories(folder);
        return PartialFile.in(folder);
    }

    /** A stash has a new file of ours: one of core's is gone from now on. */
    public void replacedByOurs(String name) throws IOException {
        Files.deleteIfExists(cores(name));
    }

    /** Moves a whole file of core's kind to its place. */
    public void commitCores(String name, Path partial) throws IOException {
        Files.move(partial, cores(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Files.deleteIfExists(ours(name));
    }

    /** Removes all of them. */
    public void clear() throws IOException {
        Util.deleteRecursive(folder.toFile());
    }

    /** Copies all of them to a build whose manager reads both kinds. */
    public void copyTo(Stashes to) throws IOException {
        for (Path file : whole()) {
            copy(file, to.folder.resolve(file.getFileName()), to.newPartial());
        }
    }

    /**
     * Copies all of them to a build whose stashes are core's.
     *
     * @param executor decodes
     */
    public void copyAsCores(Stashes to, Executor executor) throws IOException {
        for (Path file : whole()) {
            String name = folder.relativize(file).toString();
            if (name.endsWith(CORES)) {
                copy(file, to.folder.resolve(name), to.newPartial());
            } else {
                Path partial = to.newPartial();
                try (StoredFrames frames = StoredFrames.open(file);
                        InputStream tar = new StoredTar(frames, executor);
                        OutputStream out = new GZIPOutputStream(Files.newOutputStream(partial))) {
                    tar.transferTo(out);
                }
                to.commitCores(name.substring(0, name.length() - OURS.length()), partial);
            }
        }
    }

    private static void copy(Path from, Path to, Path partial) throws IOException {
        Files.copy(from, partial);
        Files.move(partial, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Iterable<Path> whole() throws IOException {
        java.util.List<Path> files = new java.util.ArrayList<>();
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*{" + OURS + ',' + CORES + '}')) {
                all.forEach(files::add);
            }
        }
        return files;
    }
}
