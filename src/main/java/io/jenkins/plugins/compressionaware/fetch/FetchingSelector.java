package io.jenkins.plugins.compressionaware.fetch;

import hudson.EnvVars;
import hudson.FilePath;
import hudson.Launcher;
import hudson.Util;
import hudson.model.Computer;
import hudson.model.Job;
import hudson.model.Node;
import hudson.model.Run;
import hudson.plugins.copyartifact.BuildFilter;
import hudson.plugins.copyartifact.BuildSelector;
import hudson.plugins.copyartifact.CopyArtifact;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.OneLine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import jenkins.model.ArtifactManager;
import jenkins.model.StandardArtifactManager;
import jenkins.util.VirtualFile;
import org.jenkinsci.plugins.workflow.steps.StepContext;

/**
 * Replaces the selector of one step, and selects the same build. When copyartifact has checked all permissions, it asks for the artifacts: they are
 * fetched, and nothing is left for it to copy. If they cannot be fetched, it copies them as usual, from the archive. A selector that
 * {@linkplain #providesOwnArtifacts gives its own artifacts} must therefore stay.
 */
final class FetchingSelector extends BuildSelector {
    private final CopyArtifact step;
    private final BuildSelector delegate;
    private final boolean optional;
    private final StepContext context;
    private EnvVars environment;
    private Run<?, ?> to;
    private Run<?, ?> selected;

    FetchingSelector(CopyArtifact step, StepContext context) {
        this.step = step;
        this.context = context;
        // of a step object that a Pipeline runs twice, the first run has left one of these
        FetchingSelector used = step.getSelector() instanceof FetchingSelector earlier ? earlier : null;
        delegate = used == null ? step.getSelector() : used.delegate;
        optional = used == null ? step.isOptional() : used.optional;
        step.setOptional(optional);
    }

    @Override
    public Run<?, ?> getBuild(Job<?, ?> job, EnvVars env, BuildFilter filter, Run<?, ?> parent) {
        environment = env;
        to = parent;
        selected = delegate.getBuild(job, env, filter, parent);
        return selected;
    }

    @Override
    protected VirtualFile getArtifacts(Run<?, ?> from, PrintStream log) throws IOException, InterruptedException {
        VirtualFile artifacts = super.getArtifacts(from, log);
        FilePath workspace = context.get(FilePath.class);
        Computer computer = workspace.toComputer();
        Node node = computer == null ? null : computer.getNode();
        Exclusions left = GlobalSettings.get().exclusions();
        if (artifacts == null
                || !workspace.isRemote()
                || left.excludesAgent(node)
                || left.excludesJob(to.getParent().getFullName())) {
            return artifacts;
        }
        FilePath target = targetIn(workspace);
        FetchOperation fetch = new FetchOperation(from, to, target, node == null ? "" : node.getNodeName(), log);
        EffectiveSettings transfer =
                EffectiveSettings.of(GlobalSettings.get(), to.getParent(), context.get(Launcher.class));
        FetchSelection files;
        try {
            requireOnDisk(from);
            // read before the files: a build that ends meanwhile may have archived until then
            boolean mayChange = from.isLogUpdated();
            files = selectFiles(artifacts, mayChange);
        } catch (IOException e) {
            log.println(BuildLogMessages.oneLine(
                    Messages.FetchingSelector_left(from.getFullDisplayName(), e.getMessage())));
            return artifacts;
        }
        Map<String, String> digests = files.members().isEmpty()
                ? null
                : OneLine.of(() -> fetch.run(files, transfer, step.isFingerprintArtifacts()));
        if (digests == null) {
            return artifacts;
        }
        FetchFingerprinter.record(digests, from, to);
        // copyartifact would fail without artifacts, unless they are optional
        step.setOptional(true);
        return null;
    }

    private FilePath targetIn(FilePath workspace) {
        FilePath target = workspace.child(environment.expand(step.getTarget()));
        return step.getIncludeBuildNumberInTargetPath() ? target.child(String.valueOf(selected.getNumber())) : target;
    }

    /** The files that copyartifact would list. */
    private FetchSelection selectFiles(VirtualFile artifacts, boolean mayChange) throws IOException {
        Path archive = Path.of(artifacts.toURI());
        String includes =
                environment.expand(step.getFilter()).replace('\\', '/').trim();
        String excludes = Util.fixEmptyAndTrim(environment.expand(step.getExcludes()));
        boolean everything = (includes.isEmpty() || includes.equals("**")) && excludes == null && !step.isFlatten();
        FetchSelection all = everything ? FetchSelection.allFiles(archive, mayChange) : null;
        if (all != null) {
            return all;
        }
        Collection<String> listed = artifacts.list(
                includes.isEmpty() ? "**" : includes, excludes == null ? null : excludes.replace('\\', '/'), false);
        return FetchSelection.of(archive, listed, step.isFlatten(), mayChange);
    }

    /** @throws IOException saying why the artifacts are not plain files on this machine, or not all that are to be copied */
    private void requireOnDisk(Run<?, ?> from) throws IOException {
        if (!from.equals(selected)) {
            throw new IOException(Messages.FetchingSelector_severalBuilds());
        }
        ArtifactManager manager = from.getArtifactManager();
        if (!(manager instanceof StandardArtifactManager)
                || Util.isOverridden(StandardArtifactManager.class, manager.getClass(), "root")) {
            throw new IOException(
                    Messages.FetchingSelector_manager(manager.getClass().getSimpleName()));
        }
    }

    /** Whether a selector says not only which build, but also where its artifacts are: only copyartifact can ask it for those. */
    static boolean providesOwnArtifacts(BuildSelector selector) {
        return !(selector instanceof FetchingSelector)
                && (overrides(selector, "getArtifacts") || overrides(selector, "getSourceDirectory"));
    }

    private static boolean overrides(BuildSelector selector, String method) {
        return Util.isOverridden(BuildSelector.class, selector.getClass(), method, Run.class, PrintStream.class);
    }
}
