package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Node;
import io.jenkins.plugins.compressionaware.config.Exclusions;

/**
 * The description of a transfer at its start. Texts other than the job's name are cut, and made one line.
 *
 * @param job      full name of the job
 * @param build    number of the build
 * @param agent    name of the agent; empty if the agent has disconnected, {@code (built-in)} for the controller
 * @param stash    name of the stash, or of the build whose artifacts are fetched; null for {@link Operation#ARCHIVE}
 * @param files    number of requested files; 0 if unknown
 * @param chosenBy localized name of the folder, job or step that chose codec and level; null for the system setting
 */
public record TransferInfo(
        Operation operation,
        String job,
        int build,
        String agent,
        @CheckForNull String stash,
        int files,
        @CheckForNull String chosenBy) {
    public TransferInfo {
        agent = BuildLogMessages.oneLine(agent);
        stash = stash == null ? null : BuildLogMessages.oneLine(stash);
        chosenBy = chosenBy == null ? null : BuildLogMessages.oneLine(chosenBy);
    }

    /** Value of {@link #agent} for the controller. */
    public static final String CONTROLLER = "(built-in)";

    /** Returns the {@link #agent} that a workspace is on. */
    public static String agentOf(FilePath workspace) {
        Node node = Exclusions.agentOf(workspace);
        if (node == null) {
            return "";
        }
        return node.getNodeName().isEmpty() ? CONTROLLER : node.getNodeName();
    }

    public enum Operation {
        ARCHIVE,
        STASH,
        UNSTASH,
        FETCH;

        /** Returns whether the controller sends and the agent receives. */
        public boolean isToAgent() {
            return this == UNSTASH || this == FETCH;
        }
    }
}
