package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.nio.charset.StandardCharsets;

/** Writes and reads the entries of one page. Most numbers are differences to the entry before, which are small. Not thread-safe. */
final class IndexEntry {
    private static final int RECORD = 512;
    private static final String TYPES = "" + TarEntry.FILE + TarEntry.LINK + TarEntry.FOLDER + TarEntry.OBJECT;
    private static final int TYPE_BITS = 2;
    private static final int MAX_MODE = 0777;

    private long seconds;

    /** Position after the entry before, if that had no long name. */
    private long expected;

    private int type;
    private int mode;
    private long position;
    private long size;
    private String target = "";

    void write(TarEntry entry, PageWriter page) {
        page.name(entry.name().getBytes(StandardCharsets.UTF_8));
        page.number((long) entry.mode() << TYPE_BITS | TYPES.indexOf(entry.type()));
        page.signed(entry.seconds() - seconds);
        page.signed(entry.position() - expected);
        if (entry.type() == TarEntry.FILE || entry.type() == TarEntry.OBJECT) {
            page.number(entry.size());
        }
        if (hasTarget(entry.type())) {
            page.text(entry.target().getBytes(StandardCharsets.UTF_8));
        }
        continueAfter(entry.seconds(), entry.position(), hasTarget(entry.type()) ? 0 : entry.size());
    }

    private static boolean hasTarget(char type) {
        return type == TarEntry.LINK || type == TarEntry.OBJECT;
    }

    private void continueAfter(long lastSeconds, long lastPosition, long lastSize) {
        seconds = lastSeconds;
        expected = lastPosition + RECORD + lastSize + (-lastSize & RECORD - 1);
    }

    /** Reads the next entry, whose name is then the reader's current name. */
    void read(PageReader page, long rawBytes) throws CorruptFrameException {
        page.nextName();
        int bits = (int) page.number(MAX_MODE << TYPE_BITS | TYPES.length() - 1);
        type = bits & (1 << TYPE_BITS) - 1;
        mode = bits >> TYPE_BITS;
        long at = seconds + page.signed();
        position = expected + page.signed();
        PageReader.check(position >= 0 && position <= rawBytes);
        char kind = TYPES.charAt(type);
        size = kind == TarEntry.FILE
                ? page.number(rawBytes - position)
                : kind == TarEntry.OBJECT ? page.number(Long.MAX_VALUE) : 0;
        target = hasTarget(kind) ? page.text() : "";
        continueAfter(at, position, hasTarget(kind) ? 0 : size);
    }

    TarEntry get(PageReader page) throws CorruptFrameException {
        String name = page.name();
        String padded = '/' + name + '/';
        PageReader.check(
                !padded.contains("//") && !padded.contains("/./") && !padded.contains("/../") && name.indexOf(0) < 0);
        return new TarEntry(name, TYPES.charAt(type), position, size, seconds, mode, target);
    }
}
