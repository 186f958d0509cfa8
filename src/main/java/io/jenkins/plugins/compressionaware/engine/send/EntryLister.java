package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.IOException;
import java.util.Arrays;

/** Also lists the entries of the tar, as its reader will find them. Used by one thread. */
final class EntryLister extends BlockSplitter {
    private final PackedListing listing;
    private long position;
    private boolean starts;

    EntryLister(BlockCompressor blocks, int blockSize, PackedListing listing) {
        super(blocks, blockSize);
        this.listing = listing;
    }

    @Override
    public void startEntry(String name, long size) throws IOException {
        super.startEntry(name, size);
        starts = true;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (starts) {
            // the first write of an entry is its header
            listing.add(TarWalker.entry(Arrays.copyOfRange(bytes, offset, offset + length), position));
            starts = false;
        }
        super.write(bytes, offset, length);
        position += length;
    }
}
