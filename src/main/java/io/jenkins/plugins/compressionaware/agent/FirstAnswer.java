package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.remote.FirstFiles;
import io.jenkins.plugins.compressionaware.remote.Selection;
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
    /** @throws IOException if their number is wrong for an answer */
    static FirstAnswer of(byte[] bytes) throws IOException {
        if (bytes.length != FirstFiles.ANSWER) {
            throw new IOException("The agent has answered with " + bytes.length + " bytes");
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        return new FirstAnswer(
                head.getInt(), head.get() != 0, head.getInt(), head.getInt(), head.getLong(), head.getLong());
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
            throw new IOException("The agent makes no progress");
        }
        return names.after(done);
    }
}
