package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;

/**
 * A transfer, as known at its start.
 *
 * @param job      full name of the job
 * @param build    number of the build
 * @param agent    name of the agent; empty if it has just gone, {@code (built-in)} for the controller itself
 * @param stash    name of the stash, or of the build fetched from; null for {@link Operation#ARCHIVE}
 * @param files    number of files requested; 0 if not yet known
 * @param chosenBy who chose codec and level, for people; null if only the administrator did
 */
public record TransferInfo(
        Operation kind,
        String job,
        int build,
        String agent,
        @CheckForNull String stash,
        int files,
        @CheckForNull String chosenBy) {
    /** Name of the controller as an agent. */
    public static final String CONTROLLER = "(built-in)";

    public enum Operation {
        ARCHIVE,
        STASH,
        UNSTASH,
        FETCH;

        /** Whether the controller sends and the agent receives. */
        public boolean isToAgent() {
            return this == UNSTASH || this == FETCH;
        }
    }
}
