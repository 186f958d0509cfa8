package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;

/**
 * One transfer, as it is known when it starts.
 *
 * @param job      full name of the job
 * @param build    number of the build
 * @param agent    name of the agent; empty if it has just gone, {@code (built-in)} for the controller itself
 * @param stash    name of the stash, or of the build that is fetched from; null for {@link Kind#ARCHIVE}
 * @param files    that it was asked for; 0 if that is not known yet
 * @param chosenBy who has chosen codec and level, for people; null if nobody but the administrator
 */
public record Transfer(
        Kind kind,
        String job,
        int build,
        String agent,
        @CheckForNull String stash,
        int files,
        @CheckForNull String chosenBy) {
    /** Its purpose. */
    public enum Kind {
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
