package io.jenkins.plugins.compressionaware.packed;

import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A zip file of packed artifacts, with names in the encoding that core uses. Content that an agent did not compress is not compressed here, because that takes
 * long and saves no bytes. Not thread-safe.
 */
final class PackedZip implements Closeable {
    private static final int MAX_WAIT_MINUTES = 10;

    /** Zip files of fewer pages do not wait. They take 8 MB. */
    private static final int MANY_PAGES = 16;

    private final ZipOutputStream zip;
    private final int permits;
    private int count;

    /**
     * Waits while the heap has no space for the entries, if there are many.
     *
     * @param pages index pages of all artifacts of the build
     * @throws IOException if there is no turn within ten minutes
     */
    PackedZip(OutputStream out, int pages) throws IOException {
        zip = new ZipOutputStream(out, Charset.defaultCharset());
        permits = pages > MANY_PAGES ? Math.min(pages, JvmLimits.MAX_ZIP_PAGES) : 0;
        try {
            if (permits > 0 && !JvmLimits.ZIP_PAGES.tryAcquire(permits, MAX_WAIT_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException("Other downloads of many files have not ended for " + MAX_WAIT_MINUTES
                        + " minutes. The heap of the controller is too small for another one.");
            }
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted before a download of many files");
        }
    }

    void add(String name, ArtifactTree.Node file) throws IOException {
        zip.setLevel(file.isIncompressible() ? Deflater.NO_COMPRESSION : Deflater.BEST_SPEED);
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(file.lastModified());
        zip.putNextEntry(entry);
        try (InputStream in = file.open()) {
            in.transferTo(zip);
        }
        zip.closeEntry();
        count++;
    }

    /** Writes the directory of the zip file, and returns the number of its entries. */
    int finish() throws IOException {
        zip.finish();
        return count;
    }

    @Override
    public void close() throws IOException {
        try {
            zip.close();
        } finally {
            JvmLimits.ZIP_PAGES.release(permits);
        }
    }
}
