package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The answer to a call of {@link BootstrapArchiveCallable}, on the controller. Its figures are the agent's own and not to be trusted.
 *
 * @param namesOffset   where in the names to go on, bytes
 * @param needsEngine whether the engine must go on
 * @param blocks number of the next block
 * @param nanos  time that the work took
 */
record BootstrapResult(int namesOffset, boolean needsEngine, int blocks, int entries, long contentBytes, long nanos) {
    /**
     * The answer in the last bytes that a call has sent.
     *
     * @param before wire bytes of the call before these
     * @return null if they are no answer
     */
    @CheckForNull
    static BootstrapResult of(byte[] bytes, long before) {
        if (bytes.length != BootstrapArchiveCallable.RESULT_LENGTH) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        BootstrapResult answer =
                new BootstrapResult(in.getInt(), in.get() != 0, in.getInt(), in.getInt(), in.getLong(), in.getLong());
        return in.getLong() == before ? answer : null;
    }

    /**
     * The files that are left to ask for.
     *
     * @return null if none are left: a stash comes whole or not at all
     * @throws IOException if asking on would never come to an end
     */
    @CheckForNull
    FileSelection remaining(FileSelection asked) throws IOException {
        if (!(asked instanceof FileSelection.ByName names) || namesOffset == names.length()) {
            return null;
        }
        if (namesOffset > names.length() || namesOffset < names.from() || namesOffset == names.from() && !needsEngine) {
            throw new IOException(Messages.BootstrapResult_noProgress());
        }
        return names.after(namesOffset);
    }
}
