package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.EnvVars;
import hudson.FilePath;
import hudson.Launcher;
import hudson.Util;
import hudson.model.Computer;
import hudson.model.Job;
import hudson.model.Run;
import hudson.plugins.copyartifact.BuildFilter;
import hudson.plugins.copyartifact.BuildSelector;
import hudson.plugins.copyartifact.CopyArtifact;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.packed.PackedRoots;
import io.jenkins.plugins.compressionaware.packed.PackedVirtualFile;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.StepFailure;
import io.jenkins.plugins.compressionaware.report.Work;
import io.jenkins.plugins.compressionaware.transfer.AgentTurn;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManager;
import jenkins.model.StandardArtifactManager;
import jenkins.util.VirtualFile;
import org.jenkinsci.plugins.workflow.steps.StepContext;

/**
 * Replaces the selector of a step: selects the same build as the original selector, and fetches its artifacts when Copy Artifact requests them, after all
 * permission checks. Copy Artifact then receives no artifacts and copies nothing. If the fetch is impossible, Copy Artifact receives the archive and copies as
 * usual. Selectors that {@linkplain #providesOwnArtifacts provide other artifacts} must therefore not be replaced.
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
        // a Pipeline that runs a step object twice has set this selector in the first run
        FetchingSelector previous = step.getSelector() instanceof FetchingSelector fetching ? fetching : null;
        delegate = previous == null ? step.getSelector() : previous.delegate;
        optional = previous == null ? step.isOptional() : previous.optional;
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
        Exclusions exclusions = GlobalSettings.get().exclusions();
        if (artifacts == null
                || !workspace.isRemote()
                || exclusions.excludesAgent(Exclusions.agentOf(workspace))
                || exclusions.excludesJob(to.getParent().getFullName())) {
            return artifacts;
        }
        FetchOperation fetch = new FetchOperation(from, to, targetIn(workspace), log);
        EffectiveSettings transfer =
                EffectiveSettings.of(GlobalSettings.get(), to.getParent(), context.get(Launcher.class));
        Map<String, String> digests = StepFailure.inOneLine(() -> {
            // before the files are listed, because the lists of many waiting steps could fill the heap
            try (AgentTurn turn = AgentTurn.await(to, workspace, log)) {
                Work<Map<String, String>> transferring = list(artifacts, fetch, transfer);
                return transferring == null ? null : transferring.run();
            }
        });
        if (digests == null) {
            return artifacts;
        }
        FetchFingerprinter.record(digests, from, to);
        // without artifacts, Copy Artifact fails a step that is not optional
        step.setOptional(true);
        return null;
    }

    /** Returns how the files are fetched; null if Copy Artifact must copy them, for a reason that is logged, or because there are none. */
    @CheckForNull
    private Work<Map<String, String>> list(VirtualFile artifacts, FetchOperation fetch, EffectiveSettings transfer)
            throws InterruptedException {
        try {
            requireOnDisk(fetch.from());
            InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
            if (artifacts instanceof PackedVirtualFile root) {
                boolean stored = !step.isFlatten() && !step.isFingerprintArtifacts();
                List<Path> archives = stored && wantsAll() ? disk.call(root::archives) : List.of();
                if (!archives.isEmpty()) {
                    return () -> fetch.send(archives, transfer);
                }
                Map<PackedFile, List<TarEntry>> files =
                        stored ? disk.call(() -> root.select(includes(), excludes())) : null;
                if (files == null) {
                    throw new IOException(Messages.FetchingSelector_packed());
                }
                return files.isEmpty() ? null : () -> fetch.send(files, transfer);
            }
            // read before the files, because the build may end in between and archive until then
            boolean mayChange = fetch.from().isLogUpdated();
            FetchSelection files = disk.call(() -> selectFiles(artifacts, mayChange));
            return files.members().isEmpty() ? null : () -> fetch.run(files, transfer, step.isFingerprintArtifacts());
        } catch (IOException e) {
            fetch.log()
                    .println(BuildLogMessages.oneLine(
                            Messages.FetchingSelector_left(fetch.from().getFullDisplayName(), e.getMessage())));
            return null;
        }
    }

    private FilePath targetIn(FilePath workspace) {
        FilePath target = workspace.child(environment.expand(step.getTarget()));
        return step.getIncludeBuildNumberInTargetPath() ? target.child(String.valueOf(selected.getNumber())) : target;
    }

    /** Selects the files that Copy Artifact would list. */
    private FetchSelection selectFiles(VirtualFile artifacts, boolean mayChange) throws IOException {
        Path archive = Path.of(artifacts.toURI());
        FetchSelection all = wantsAll() ? FetchSelection.allFiles(archive, mayChange) : null;
        if (all != null) {
            return all;
        }
        Collection<String> listed = artifacts.list(includes(), excludes(), false);
        return FetchSelection.of(archive, listed, step.isFlatten(), mayChange);
    }

    private String includes() {
        String includes =
                environment.expand(step.getFilter()).replace('\\', '/').trim();
        return includes.isEmpty() ? "**" : includes;
    }

    @CheckForNull
    private String excludes() {
        String excludes = Util.fixEmptyAndTrim(environment.expand(step.getExcludes()));
        return excludes == null ? null : excludes.replace('\\', '/');
    }

    private boolean wantsAll() {
        return includes().equals("**") && excludes() == null && !step.isFlatten();
    }

    /** @throws IOException with the reason if not all selected artifacts are regular files on the controller */
    private void requireOnDisk(Run<?, ?> from) throws IOException {
        if (!from.equals(selected)) {
            throw new IOException(Messages.FetchingSelector_severalBuilds());
        }
        ArtifactManager manager = from.getArtifactManager();
        if (!(manager instanceof StandardArtifactManager)
                || !(manager instanceof PackedRoots)
                        && Util.isOverridden(StandardArtifactManager.class, manager.getClass(), "root")) {
            throw new IOException(
                    Messages.FetchingSelector_manager(manager.getClass().getSimpleName()));
        }
    }

    /** Returns whether a selector overrides where artifacts are read. Only Copy Artifact can use such a selector. */
    static boolean providesOwnArtifacts(BuildSelector selector) {
        return !(selector instanceof FetchingSelector)
                && (overrides(selector, "getArtifacts") || overrides(selector, "getSourceDirectory"));
    }

    private static boolean overrides(BuildSelector selector, String method) {
        return Util.isOverridden(BuildSelector.class, selector.getClass(), method, Run.class, PrintStream.class);
    }
}
