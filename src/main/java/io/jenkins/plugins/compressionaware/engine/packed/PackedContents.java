package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.SeekTable;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The frames and entries of a packed archive that is being written. Accepts only requested files, each once, and makes the index of them. Not thread-safe. */
final class PackedContents {
    /** Maximum characters of all link targets, because they are in memory until the index is written. */
    private static final long MAX_TARGETS = 32 << 20;

    /** Requested names, sorted. */
    private final String[] names;

    private final TarEntry[] entries;
    private final IndexWriter index = new IndexWriter();
    private final SeekTable seekTable = new SeekTable();
    private int next;
    private int arrived;
    private long targets;

    PackedContents(Collection<String> requested) throws IOException {
        TreeSet<String> sorted = new TreeSet<>(TarEntry.ORDER);
        for (String name : requested) {
            sorted.add(TarWalker.normal(name));
        }
        names = sorted.toArray(String[]::new);
        entries = new TarEntry[names.length];
    }

    /** Returns the number of requested names. */
    int size() {
        return names.length;
    }

    /**
     * Adds the next frame.
     *
     * @param length of the whole frame, bytes
     */
    void add(FrameHeader header, int length) {
        index.add(header.rawLength(), length);
        seekTable.add(header, length);
    }

    /** Adds an entry, in any order. */
    void add(TarEntry entry) throws IOException {
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

    /** Checks that all files have arrived, and that no file or link has the name of a folder. */
    void check() throws IOException {
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
    }

    private void checkFolders(String name) throws EntryRejectedException {
        for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
            int at = Arrays.binarySearch(names, name.substring(0, slash), TarEntry.ORDER);
            if (at >= 0 && entries[at].type() != TarEntry.FOLDER) {
                throw new EntryRejectedException(
                        "Refused " + name + ": " + names[at] + " is no folder but was sent as something else");
            }
        }
    }

    /** Returns the entries in the order of their names. All must have arrived. */
    List<TarEntry> entries() {
        return Arrays.asList(entries);
    }

    /** Returns the index, the frame before the footer. */
    byte[] index() throws IOException {
        return index.toBytes(entries());
    }

    /**
     * Returns the frame after the footer.
     *
     * @param indexLength length of the index, bytes
     */
    byte[] seekTable(int indexLength) {
        return seekTable.toBytes(indexLength);
    }
}
