package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Job;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;
import org.springframework.security.access.AccessDeniedException;

/**
 * A job, or a build, as the user may see it.
 *
 * @param fullName null if the user may not know it
 * @param url      below the root URL; null if the user may not read the job, or it is gone
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record JobReference(
        @Exported @CheckForNull String fullName,
        @CheckForNull String url) {
    static JobReference of(String fullName) {
        Job<?, ?> job = find(fullName);
        if (job != null) {
            return new JobReference(fullName, job.getUrl());
        }
        // gone, or hidden from this user: only somebody who sees everything may tell the two apart
        return new JobReference(Jenkins.get().hasPermission(Jenkins.ADMINISTER) ? fullName : null, null);
    }

    static JobReference ofBuild(String fullName, int build) {
        JobReference job = of(fullName);
        return job.url == null ? job : new JobReference(job.fullName + " #" + build, job.url + build + '/');
    }

    @CheckForNull
    private static Job<?, ?> find(String fullName) {
        try {
            return Jenkins.get().getItemByFullName(fullName, Job.class);
        } catch (AccessDeniedException e) {
            return null;
        }
    }
}
