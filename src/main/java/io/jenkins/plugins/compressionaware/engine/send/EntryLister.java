package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.IOException;
import java.util.Arrays;

/** Lists the entries of a tar that passes through, as a reader of the tar will find them. Used by one thread. */
final class EntryLister extends TarSink {
    private final TarSink sink;
    private final PackedListing listing;
    private long position;
    private boolean starts;

    EntryLister(TarSink sink, PackedListing listing) {
        this.sink = sink;
        this.listing = listing;
    }

    @Override
    public void startEntry(String name, long size) throws IOException {
        sink.startEntry(name, size);
        starts = true;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (starts) {
            // the first write of an entry is its header
            listing.add(TarWalker.entry(Arrays.copyOfRange(bytes, offset, offset + length), position));
            starts = false;
        }
        sink.write(bytes, offset, length);
        position += length;
    }

    @Override
    public void flush() throws IOException {
        sink.flush();
    }

    @Override
    public void close() throws IOException {
        sink.close();
    }
}
