package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;

/** Joins the contents of consecutive tar entries into one delta. Not thread-safe. */
final class DeltaPartsInputStream extends ChunkedInputStream {
    private final TarReader tar;
    private boolean last;

    /** @param tar positioned at the first of these entries */
    DeltaPartsInputStream(TarReader tar) {
        this.tar = tar;
        last = tar.typeFlag() == TarHeader.DELTA;
    }

    static boolean isPart(TarReader entry) {
        return entry.typeFlag() == TarHeader.DELTA || entry.typeFlag() == TarHeader.DELTA_PART;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = tar.read(target, offset, length);
        while (n < 0 && !last) {
            if (!tar.next() || !isPart(tar)) {
                throw new EntryRejectedException("the delta has no last part");
            }
            last = tar.typeFlag() == TarHeader.DELTA;
            n = tar.read(target, offset, length);
        }
        return n;
    }
}
