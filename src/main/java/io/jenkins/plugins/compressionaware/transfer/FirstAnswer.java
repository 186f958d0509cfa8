package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.FirstFiles;
import io.jenkins.plugins.compressionaware.agent.Selection;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The answer to a call of {@link FirstFiles}, on the controller. Its figures are the agent's own and not to be trusted.
 *
 * @param done   where in the names to go on, bytes
 * @param others whether the engine must go on
 * @param blocks number of the next block
 * @param nanos  time that the work took
 */
record FirstAnswer(int done, boolean others, int blocks, int entries, long contentBytes, long nanos) {
    /**
     * The answer in the last bytes that a call has sent.
     *
     * @param before wire bytes of the call before these
     * @return null if they are no answer
     */
    @CheckForNull
    static FirstAnswer of(byte[] bytes, long before) {
        if (bytes.length != FirstFiles.ANSWER) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        FirstAnswer answer =
                new FirstAnswer(in.getInt(), in.get() != 0, in.getInt(), in.getInt(), in.getLong(), in.getLong());
        return in.getLong() == before ? answer : null;
    }

    /**
     * The files that are left to ask for.
     *
     * @return null if none are left: a stash comes whole or not at all
     * @throws IOException if asking on would never come to an end
     */
    @CheckForNull
    Selection rest(Selection asked) throws IOException {
        if (!(asked instanceof Selection.Named names) || done == names.length()) {
            return null;
        }
        if (done > names.length() || done < names.from() || done == names.from() && !others) {
            throw new IOException(Messages.FirstAnswer_noProgress());
        }
        return names.after(done);
    }
}
