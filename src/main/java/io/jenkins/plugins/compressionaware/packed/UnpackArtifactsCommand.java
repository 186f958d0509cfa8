package io.jenkins.plugins.compressionaware.packed;

import hudson.Extension;
import hudson.cli.CLICommand;
import hudson.model.Job;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import java.io.IOException;
import java.util.function.Consumer;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.args4j.Argument;

/** The CLI command {@code unpack-artifacts}: turns the packed artifacts of one job, or of all jobs, back into files, while Jenkins runs. */
@Extension
@Restricted(NoExternalUse.class)
public final class UnpackArtifactsCommand extends CLICommand {
    @Argument(metaVar = "JOB", usage = "Full name of a job; all jobs if it is missing")
    public String job;

    @Override
    public String getShortDescription() {
        return Messages.UnpackArtifactsCommand_description();
    }

    @Override
    protected int run() throws IOException, InterruptedException {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        if (job == null) {
            int failed = 0;
            for (Job<?, ?> each : Jenkins.get().allItems(Job.class)) {
                failed += unpack(each);
            }
            return failed == 0 ? 0 : 1;
        }
        Job<?, ?> named = Jenkins.get().getItemByFullName(job, Job.class);
        if (named == null) {
            throw new IllegalArgumentException(Messages.UnpackArtifactsCommand_noJob(job));
        }
        return unpack(named) == 0 ? 0 : 1;
    }

    private int unpack(Job<?, ?> of) throws InterruptedException {
        return unpack(of, stdout::println, stderr::println);
    }

    /**
     * Unpacks the completed builds of a job, the last one first.
     *
     * @param done   takes a line for each build that had packed artifacts
     * @param failed takes a line for each build that could not be unpacked
     * @return the number of builds that could not be unpacked
     */
    static int unpack(Job<?, ?> of, Consumer<String> done, Consumer<String> failed) throws InterruptedException {
        int failures = 0;
        for (Run<?, ?> build = of.getLastBuild(); build != null; build = build.getPreviousBuild()) {
            try {
                int files = unpack(build);
                if (files > 0) {
                    done.accept(Messages.UnpackArtifactsCommand_done(build.getFullDisplayName(), files));
                }
            } catch (IOException | RuntimeException e) { // such as an InvalidPathException for the target of a link
                failures++;
                failed.accept(Messages.UnpackArtifactsCommand_failed(build.getFullDisplayName(), e.getMessage()));
            }
        }
        return failures;
    }

    @SuppressWarnings("deprecation") // no other API returns the archive folder of a build
    private static int unpack(Run<?, ?> build) throws IOException, InterruptedException {
        return build.isLogUpdated()
                ? 0
                : Unpacker.replace(build.getArtifactsDir().toPath(), StartupCleanup.journal());
    }
}
