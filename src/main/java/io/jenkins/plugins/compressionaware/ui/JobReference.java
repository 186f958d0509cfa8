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
 * The name and link of a job or a build, limited to what the current user may see.
 *
 * @param fullName null if the user may not see the name
 * @param url      relative to Jenkins' root URL; null if the job is deleted or the user may not read it
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record JobReference(
        @Exported @CheckForNull String fullName,
        @CheckForNull String url) {
    static JobReference of(String fullName) {
        try {
            Job<?, ?> job = Jenkins.get().getItemByFullName(fullName, Job.class);
            if (job != null) {
                return new JobReference(fullName, job.getUrl());
            }
        } catch (AccessDeniedException e) {
            // treated like a deleted job: only administrators may distinguish the two
        }
        return new JobReference(Jenkins.get().hasPermission(Jenkins.ADMINISTER) ? fullName : null, null);
    }

    static JobReference ofBuild(String fullName, int build) {
        JobReference job = of(fullName);
        return job.url == null ? job : new JobReference(job.fullName + " #" + build, job.url + build + '/');
    }
}
