package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.Util;
import hudson.model.AbstractBuild;
import hudson.model.Computer;
import hudson.model.Label;
import hudson.model.Node;
import hudson.model.Run;
import hudson.util.FormValidation;
import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.tools.ant.types.selectors.SelectorUtils;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The agents and jobs that are excluded from the plugin.
 *
 * @param labels label expression of agents; empty for none
 * @param jobs   patterns of full job names, separated by commas or line ends because names may contain spaces. {@code *} matches within a name,
 *               {@code **} across folders; empty for none
 */
@Restricted(NoExternalUse.class)
public record Exclusions(String labels, String jobs) {
    private static final Logger LOGGER = Logger.getLogger(Exclusions.class.getName());

    /** Returns whether the whole build is excluded. For a Pipeline, only the job is checked, because a Pipeline may use several agents. */
    public boolean excludesBuild(Run<?, ?> build) {
        return excludesJob(build.getParent().getFullName())
                || build instanceof AbstractBuild<?, ?> onOneAgent && excludesAgent(onOneAgent.getBuiltOn());
    }

    /** Returns the agent of a workspace; null if it has just disconnected. */
    @CheckForNull
    public static Node agentOf(FilePath workspace) {
        Computer computer = workspace.toComputer();
        return computer == null ? null : computer.getNode();
    }

    public boolean excludesAgent(@CheckForNull Node agent) {
        String expression = Util.fixEmptyAndTrim(labels);
        if (agent == null || expression == null) {
            return false;
        }
        try {
            return Label.parseExpression(expression).matches(agent);
        } catch (IllegalArgumentException e) {
            LOGGER.log(
                    Level.WARNING,
                    "Invalid label expression “" + expression + "” under “Agents to leave out”: no agent is left out.",
                    e);
            return false;
        }
    }

    public boolean excludesJob(String fullName) {
        return Stream.of(fullName, decoded(fullName))
                .map(Exclusions::path)
                .anyMatch(path -> patterns(jobs).anyMatch(pattern -> SelectorUtils.matchPath(path(pattern), path)));
    }

    /** Returns the names of branches as their repositories have them: a multibranch project names the job of {@code release/1} {@code release%2F1}. */
    private static String decoded(String fullName) {
        try {
            return URLDecoder.decode(fullName.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // a name with a percent sign
            return fullName;
        }
    }

    private static Stream<String> patterns(String jobs) {
        return Arrays.stream(jobs.split("[,\r\n]")).map(String::strip).filter(pattern -> !pattern.isEmpty());
    }

    // matchPath splits names at the controller's file separator
    private static String path(String fullName) {
        return fullName.replace('/', File.separatorChar);
    }

    /** Returns the label expression. Throws an exception if it is invalid. */
    @CheckForNull
    public static String requireLabels(@CheckForNull String labels) {
        try {
            if (labels != null) {
                Label.parseExpression(labels);
            }
            return labels;
        } catch (IllegalArgumentException e) {
            // without a cause, because the form would show its stack trace
            throw new IllegalArgumentException("excludedLabels: " + e.getMessage());
        }
    }

    public static FormValidation checkJobs(String jobs) {
        return areJobs(jobs) ? FormValidation.ok() : FormValidation.error(Messages.Exclusions_wrongPattern());
    }

    /** Returns whether each pattern can match a name. */
    public static boolean areJobs(String jobs) {
        return patterns(jobs).noneMatch(pattern -> pattern.contains("\\") || pattern.startsWith("/"));
    }
}
