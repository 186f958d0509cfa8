package io.jenkins.plugins.compressionaware.engine.tar;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * The file that one writer is writing, by path and by identity. A file has one writer at a time in this JVM: another transfer, or another thread with another
 * name of the file, waits until the first writer has completed the file, or has failed and cleaned up. Used by one thread.
 */
final class FileClaims {
    /** Has space for all writers, so that adding a claim needs no heap for a larger table and never fails halfway. */
    @GuardedBy("CLAIMED")
    private static final Set<Object> CLAIMED = new HashSet<>(1024);

    private final Workspace folder;
    private Object path;
    private Object identity;

    /** @param folder if it is closed, waiting fails */
    FileClaims(Workspace folder) {
        this.folder = folder;
    }

    /** Claims a path, and releases earlier claims. Paths that differ only in case or Unicode form are equal. */
    void claimPath(Path file) throws InterruptedIOException {
        release();
        String key = normalized(file.toString()).toLowerCase(Locale.ROOT);
        await(key);
        path = key;
    }

    /** Returns the text in Unicode form NFC. ASCII has that form, and the JDK's normalizer would load classes and a table in a fresh agent. */
    private static String normalized(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7f) {
                return Normalizer.normalize(text, Normalizer.Form.NFC);
            }
        }
        return text;
    }

    /** Claims a file that exists and may have several names, such as hard links. Claims nothing if the disk has no identities. */
    void claimIdentity(@CheckForNull Object fileKey) throws InterruptedIOException {
        if (fileKey != null) {
            await(fileKey);
            identity = fileKey;
        }
    }

    /** No writer waits while it has an identity, so that no two writers wait for each other. */
    private void await(Object key) throws InterruptedIOException {
        synchronized (CLAIMED) {
            while (!CLAIMED.add(key)) {
                if (folder.isClosed()) {
                    throw new InterruptedIOException("The transfer has ended while a file was in use");
                }
                try {
                    CLAIMED.wait();
                } catch (InterruptedException e) {
                    throw interrupted();
                }
            }
        }
    }

    /** Releases all claims. Needs no heap, because a claim that is left would block the file until the JVM ends. */
    void release() {
        synchronized (CLAIMED) {
            CLAIMED.remove(path);
            CLAIMED.remove(identity);
            CLAIMED.notifyAll();
        }
        path = null;
        identity = null;
    }

    /** Lets all waiting writers check whether their transfer has ended. */
    @SuppressFBWarnings(value = "NN_NAKED_NOTIFY", justification = "the caller has closed its folder")
    static void wake() {
        synchronized (CLAIMED) {
            CLAIMED.notifyAll();
        }
    }

    /** Restores the interrupt status. Not in Tasks, which the bootstrap call of an unstash does not load. */
    static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("Interrupted while a file was in use");
    }
}
