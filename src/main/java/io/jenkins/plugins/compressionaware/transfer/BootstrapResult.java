package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The result of a bootstrap call, see {@link BootstrapArchiveCallable}. The agent determines its figures, so they are not trusted.
 *
 * @param namesOffset bytes of the name list that the call completed; the next call starts there
 * @param needsEngine whether the engine must send the remaining files
 * @param nanos nanoseconds that the call worked, without waiting for the lane
 */
record BootstrapResult(int namesOffset, boolean needsEngine, int entries, long contentBytes, long nanos) {
    /**
     * Parses the result from the last bytes of a call.
     *
     * @param before wire bytes that the call sent before these
     * @return null if the bytes are not a result, as after a failed call
     */
    @CheckForNull
    static BootstrapResult of(byte[] bytes, long before) {
        if (bytes.length != BootstrapArchiveCallable.RESULT_LENGTH) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        BootstrapResult result =
                new BootstrapResult(in.getInt(), in.get() != 0, in.getInt(), in.getLong(), in.getLong());
        return in.getLong() == before ? result : null;
    }

    /**
     * Returns the files that the call did not send.
     *
     * @return null if none remain; a stash is always sent whole
     * @throws IOException if the call made no progress, so that calls would never end
     */
    @CheckForNull
    FileSelection remaining(FileSelection requested) throws IOException {
        if (!(requested instanceof FileSelection.ByName names) || namesOffset == names.length()) {
            return null;
        }
        if (namesOffset > names.length() || namesOffset < names.from() || namesOffset == names.from() && !needsEngine) {
            throw new KnownFailureException("the-agent-finished-but-its-last", Messages.BootstrapResult_noProgress());
        }
        return names.after(namesOffset);
    }
}
