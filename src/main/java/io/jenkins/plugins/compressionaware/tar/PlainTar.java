package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Reads the entries of a tar as {@link TarPacker} writes it: the one extension is GNU's for long names. Other extensions are refused at
 * their header, before the library acts on it: it keeps what global PAX headers say for as long as the stream lasts.
 */
final class PlainTar extends TarArchiveInputStream {
    /** Where in a header its kind stands. */
    private static final int KIND = 156;

    /** PAX headers for all entries and for the next one, by POSIX and by Sun, and GNU's sparse files. */
    private static final String EXTENSIONS = "gxXS";

    PlainTar(InputStream in) {
        super(in, TarConstants.DEFAULT_BLKSIZE, StandardCharsets.UTF_8.name());
    }

    @Override
    protected byte[] readRecord() throws IOException {
        byte[] record = super.readRecord();
        if (record != null && EXTENSIONS.indexOf(record[KIND]) >= 0) {
            throw new IOException(
                    "Refused a tar header of the kind " + (char) record[KIND] + ": no agent has a reason to send one");
        }
        return record;
    }

    /** The next entry; null after the last. */
    TarArchiveEntry next() throws IOException {
        try {
            return getNextEntry();
        } catch (IllegalArgumentException e) {
            throw new IOException("Damaged tar header", e);
        }
    }
}
