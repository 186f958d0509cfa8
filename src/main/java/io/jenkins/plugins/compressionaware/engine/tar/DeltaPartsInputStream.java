package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;

/** A recipe whose parts are the contents of consecutive entries. Used by one thread. */
final class DeltaPartsInputStream extends ChunkedInputStream {
    private final TarReader tar;
    private boolean last;

    /** @param tar at the first of these entries */
    DeltaPartsInputStream(TarReader tar) {
        this.tar = tar;
        last = tar.typeFlag() == TarHeader.DELTA;
    }

    static boolean mayBegin(TarReader entry) {
        return entry.typeFlag() == TarHeader.DELTA || entry.typeFlag() == TarHeader.DELTA_PART;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = tar.read(target, offset, length);
        while (n < 0 && !last) {
            next();
            n = tar.read(target, offset, length);
        }
        return n;
    }

    private void next() throws IOException {
        if (!tar.next() || !mayBegin(tar)) {
            throw new EntryRejectedException("the recipe has no end");
        }
        last = tar.typeFlag() == TarHeader.DELTA;
    }
}
