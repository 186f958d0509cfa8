package io.jenkins.plugins.compressionaware.engine.run;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Records the first failure of a transfer, even if the heap is full, so that no thread is left waiting. Not thread-safe; guarded by the owner's lock. */
@Restricted(NoExternalUse.class)
public final class FirstFailure {
    private final String prefix;
    private final String outOfMemory;
    private final IOException withoutDetails;
    private IOException first;

    /**
     * @param prefix start of every message; if empty, an {@link IOException} is recorded unchanged
     * @param end    this end of the transfer, for messages: {@code sending} or {@code receiving}
     */
    public FirstFailure(String prefix, String end) {
        this.prefix = prefix;
        outOfMemory = "the " + end + " JVM is out of memory";
        withoutDetails = new IOException(prefix + outOfMemory);
    }

    /**
     * Records a failure, unless an earlier one is recorded. Never throws.
     *
     * @return whether this failure is the first
     */
    public boolean set(Throwable reason) {
        if (first != null) {
            return false;
        }
        first = withoutDetails;
        try {
            first = prefix.isEmpty() && reason instanceof IOException io && io.getMessage() != null
                    ? io
                    : new IOException(prefix + message(reason), reason);
        } catch (Throwable e) {
            first = withoutDetails; // no memory for a message
        }
        return true;
    }

    private String message(Throwable reason) {
        String message = reason.getMessage();
        if (reason instanceof OutOfMemoryError) {
            return outOfMemory + ": " + message;
        }
        return message == null || !(reason instanceof IOException) && prefix.isEmpty() ? reason.toString() : message;
    }

    /** Returns the first failure; null if there is none. */
    @CheckForNull
    public IOException get() {
        return first;
    }
}
