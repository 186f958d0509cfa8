package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/** A recipe, whose parts are the contents of entries that follow each other. Used by one thread. */
final class RecipeParts extends InputStream {
    private final PlainTar tar;
    private final OverheadLimit limited;
    private boolean last;

    /** @param first has been read */
    RecipeParts(PlainTar tar, OverheadLimit limited, TarArchiveEntry first) {
        this.tar = tar;
        this.limited = limited;
        last = first.getLinkFlag() == TarHeader.RECIPE;
    }

    static boolean mayBegin(TarArchiveEntry entry) {
        return entry.getLinkFlag() == TarHeader.RECIPE || entry.getLinkFlag() == TarHeader.RECIPE_PART;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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
        limited.startNext();
        TarArchiveEntry part = tar.next();
        if (part == null || !mayBegin(part)) {
            throw new RefusedException("a recipe without an end");
        }
        limited.allow(part.getSize());
        last = part.getLinkFlag() == TarHeader.RECIPE;
    }
}
