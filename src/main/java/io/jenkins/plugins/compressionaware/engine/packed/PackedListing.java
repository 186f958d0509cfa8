package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The frames and entries of an object that an agent has written to a store, in the form in which {@link PackedEnd} reads them. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class PackedListing {
    private final PageWriter frames = new PageWriter();
    private final List<TarEntry> entries = new ArrayList<>();
    private int count;

    /** Adds the next frame. */
    public void add(FrameHeader header) {
        frames.number(header.codec().id()).number(header.checksum().id());
        frames.number(header.rawLength()).number(header.bodyLength());
        count++;
    }

    /** Adds an entry, in any order. */
    public void add(TarEntry entry) {
        entries.add(entry);
    }

    public byte[] toBytes() {
        PageWriter all = new PageWriter().number(count).append(frames.toBytes()).number(entries.size());
        entries.sort(Comparator.comparing(TarEntry::name, TarEntry.ORDER));
        IndexEntry encoder = new IndexEntry();
        for (TarEntry entry : entries) {
            encoder.write(entry, all);
        }
        return all.toBytes();
    }
}
