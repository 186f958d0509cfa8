package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.framefile.SeekTable;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.TreeSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Writes a packed archive: frames as received, then the index of the files in them, footer and seek table. Accepts only requested files, each once. Not
 * thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class PackedWriter implements Closeable {
    /** Maximum characters of all link targets, because they are in memory until the index is written. */
    private static final long MAX_TARGETS = 32 << 20;

    private final FrameFileWriter file;
    private final IndexWriter index = new IndexWriter();
    private final SeekTable seekTable = new SeekTable();
    private final PackedCommit commit;

    /** Requested names, sorted. */
    private final String[] names;

    private final TarEntry[] entries;
    private int next;
    private int arrived;
    private long targets;
    private volatile long storedBytes;

    /**
     * @param archive   folder of the build's artifacts; need not exist
     * @param journal   records the temporary file
     * @param requested names of the files to accept
     * @param blockSize length of the largest block, bytes
     */
    public PackedWriter(Path archive, StagingJournal journal, Collection<String> requested, int blockSize)
            throws IOException {
        TreeSet<String> sorted = new TreeSet<>(TarEntry.ORDER);
        for (String name : requested) {
            sorted.add(TarWalker.normal(name));
        }
        names = sorted.toArray(String[]::new);
        entries = new TarEntry[names.length];
        commit = new PackedCommit(archive);
        file = new FrameFileWriter(commit.sibling(), journal, blockSize);
    }

    /** Stores a verified frame. */
    public void append(FrameHeader header, byte[] frame, int length) throws IOException {
        file.append(header, frame, length);
        index.add(header.rawLength(), length);
        seekTable.add(header, length);
    }

    /** Reads the tar in the frames, which must be appended before their bytes are read, and finishes the file. */
    public void read(InputStream tar) throws IOException {
        TarWalker.walk(tar, names.length, this::add);
        if (arrived < names.length) {
            int missing = Arrays.asList(entries).indexOf(null);
            throw TarWalker.missing(names[missing], names.length - arrived - 1);
        }
        String checked = "";
        for (String name : names) {
            int slash = name.lastIndexOf('/');
            if (slash > 0 && !name.substring(0, slash).equals(checked)) {
                checkFolders(name);
                checked = name.substring(0, slash);
            }
        }
        byte[] bytes = index.toBytes(Arrays.asList(entries));
        byte[] table = seekTable.toBytes(bytes.length);
        file.finish(bytes, table);
        storedBytes = file.wireBytes() + bytes.length + FrameFileFooter.FRAME_LENGTH + table.length;
    }

    private void add(TarEntry entry) throws IOException {
        // most names arrive in order
        int at = next < names.length && names[next].equals(entry.name())
                ? next
                : Arrays.binarySearch(names, entry.name(), TarEntry.ORDER);
        targets += entry.target().length();
        if (at < 0 || entries[at] != null) {
            throw new EntryRejectedException("it was not requested, or came twice");
        } else if (targets > MAX_TARGETS) {
            throw new EntryRejectedException("the symbolic links are too long");
        }
        entries[at] = entry.withName(names[at]);
        next = at + 1;
        arrived++;
    }

    /** Fails if a file or link has the name of a folder. */
    private void checkFolders(String name) throws EntryRejectedException {
        for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
            int at = Arrays.binarySearch(names, name.substring(0, slash), TarEntry.ORDER);
            if (at >= 0 && entries[at].type() != TarEntry.FOLDER) {
                throw new EntryRejectedException(
                        "Refused " + name + ": " + names[at] + " is no folder but was sent as something else");
            }
        }
    }

    /** Returns the length of the complete file, bytes. */
    public long storedBytes() {
        return storedBytes;
    }

    /** Adds the complete file to the build's artifacts. */
    public void commit() throws IOException, InterruptedException {
        commit.run(file, Arrays.asList(entries));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
