package io.jenkins.plugins.compressionaware.engine.tar;

import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Packs files into a tar stream, entry for entry as Jenkins core's {@code TarArchiver} does: links are sent as links, folders without their content, and a
 * growing file is cut at its size when opened. Used by one thread; others may read small files ahead.
 */
@Restricted(NoExternalUse.class)
public final class TarPacker implements Closeable {
    private static final int READ_BUFFER = 128 * 1024;

    private final TarSink sink;
    private final Executor readers;

    private final EntryEncoder encoder;

    private final byte[] buffer = new byte[READ_BUFFER];
    private int entries;
    private long contentBytes;

    /**
     * @param readers read small files ahead if the disk is slow; may reject tasks
     * @param encoder creates deltas to send in place of files
     */
    public TarPacker(TarSink sink, Executor readers, EntryEncoder encoder) {
        this.sink = sink;
        this.readers = readers;
        this.encoder = encoder;
    }

    /**
     * Packs all files in the order of their names, because neighbours are alike and compress better together.
     *
     * @param files maps names in the archive to paths in {@code base}; both with forward slashes
     * @throws IOException that names the first file that cannot be read
     */
    public void pack(Path base, Map<String, String> files) throws IOException {
        pack(base, files, new AdaptiveConcurrency());
    }

    void pack(Path base, Map<String, String> files, AdaptiveConcurrency ahead) throws IOException {
        SortedMap<String, String> sorted =
                files instanceof SortedMap<String, String> already ? already : new TreeMap<>(files);
        try (FileScanner scanner = new FileScanner(base, sorted.values().iterator(), readers, ahead)) {
            for (Map.Entry<String, String> file : sorted.entrySet()) {
                if (Thread.currentThread().isInterrupted()) { // nothing else checks this before the next block is full
                    throw Tasks.interrupted("Interrupted while files were packed");
                }
                addNext(scanner, file.getKey(), file.getValue());
            }
        }
    }

    private void addNext(FileScanner scanner, String name, String path) throws IOException {
        try {
            add(scanner.next(), name);
        } catch (FileSystemException e) {
            String other = e.getReason() != null ? e.getReason() : e.toString();
            String reason = e instanceof NoSuchFileException ? "there is no such file" : other;
            throw new IOException(
                    "Cannot archive " + path + ": " + (e instanceof AccessDeniedException ? "access denied" : reason),
                    e);
        } catch (InvalidPathException e) {
            throw new IOException("Cannot archive " + path + ": not a valid name here", e);
        }
    }

    private void add(ScannedFile file, String name) throws IOException {
        BasicFileAttributes attributes = file.attributes();
        String target = file.target();
        if (target != null) {
            start(TarHeader.ofLink(name, target, attributes), name, 0);
        } else if (attributes.isDirectory()) {
            start(TarHeader.of(name + '/', 0, attributes), name, 0);
        } else {
            addFile(file, name);
        }
    }

    private void addFile(ScannedFile file, String name) throws IOException {
        byte[] content = file.content();
        if (content != null) {
            if (!addDelta(file, name, content.length)) {
                start(TarHeader.of(name, content.length, file.attributes()), name, content.length);
                sink.write(content);
                sink.write(TarHeader.padding(content.length));
            }
            contentBytes += content.length;
            return;
        }
        try (InputStream in = Files.newInputStream(file.path())) {
            long size = ScannedFile.size(in);
            String key = encoder.store(name, file.path(), in, size);
            if (key != null) {
                start(TarHeader.ofObject(name, key, file.attributes()), name, 0);
            } else if (!addDelta(file, name, size)) {
                copy(in, file, name, size);
            }
            contentBytes += size;
        }
    }

    /** Adds a delta in place of the file. Returns false, and adds nothing, if the file itself must be sent. */
    private boolean addDelta(ScannedFile file, String name, long size) throws IOException {
        int before = entries;
        try {
            return file.attributes().isRegularFile()
                    && encoder.encode(file.path(), size, part -> addPart(part, name, file.attributes()));
        } catch (IOException | RuntimeException e) {
            if (entries > before) {
                throw e;
            }
            // the file itself is sent, which fails with a reason if it cannot be read
            return false;
        }
    }

    private void addPart(EntryEncoder.Part part, String name, BasicFileAttributes attributes) throws IOException {
        long length = part.length();
        boolean last = part.isLast();
        if (part.isFirst()) {
            start(TarHeader.ofDelta(name, length, attributes, last), name, length);
        } else {
            // only the first part has the file's name
            sink.write(TarHeader.ofDelta("-", length, attributes, last));
        }
        part.writeTo(sink);
        sink.write(TarHeader.padding(length));
        if (!last) {
            // lets the receiver rebuild this part of the file early
            sink.flush();
        }
    }

    private void copy(InputStream in, ScannedFile file, String name, long size) throws IOException {
        start(TarHeader.of(name, size, file.attributes()), name, size);
        long left = size;
        while (left > 0) {
            int n = ScannedFile.read(in, file.path(), buffer, (int) Math.min(buffer.length, left));
            if (n == 0) {
                throw ScannedFile.shrank(file.path(), size, size - left);
            }
            sink.write(buffer, 0, n);
            left -= n;
        }
        sink.write(TarHeader.padding(size));
    }

    private void start(byte[] bytes, String name, long size) throws IOException {
        sink.startEntry(name, size);
        sink.write(bytes);
        entries++;
    }

    /** Returns the number of entries written so far: files, links and folders. */
    public int entries() {
        return entries;
    }

    /** Returns the number of content bytes written so far. */
    public long contentBytes() {
        return contentBytes;
    }

    /** Writes the end of the tar. Must not be called after a failure, because an incomplete tar must not look complete. */
    @Override
    public void close() throws IOException {
        sink.write(new byte[TarHeader.TRAILER_LENGTH]);
        sink.close();
    }
}
