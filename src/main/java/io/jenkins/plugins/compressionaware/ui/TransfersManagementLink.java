package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Api;
import hudson.model.ManagementLink;
import hudson.security.Permission;
import io.jenkins.plugins.compressionaware.packed.UnpackTask;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import jenkins.model.Jenkins;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.HttpResponse;
import org.kohsuke.stapler.HttpResponses;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.StaplerProxy;
import org.kohsuke.stapler.verb.POST;

/**
 * The page "Artifact transfers" below Manage Jenkins, for users with the permission System Read. Users with Manage can also reset the statistics, and
 * administrators turn packed artifacts back into files.
 */
@Extension(ordinal = Integer.MAX_VALUE - 750)
@Symbol("artifactTransfers")
@Restricted(NoExternalUse.class)
public final class TransfersManagementLink extends ManagementLink implements StaplerProxy {
    private final UnpackTask unpacking = new UnpackTask();

    @Override
    public String getIconFileName() {
        return "symbol-swap";
    }

    @Override
    public String getDisplayName() {
        return Messages.TransfersManagementLink_displayName();
    }

    @Override
    public String getDescription() {
        return Messages.TransfersManagementLink_description();
    }

    @Override
    public String getUrlName() {
        return "artifact-transfers";
    }

    @NonNull
    @Override
    public Permission getRequiredPermission() {
        return Jenkins.SYSTEM_READ;
    }

    @NonNull
    @Override
    public Category getCategory() {
        return Category.STATUS;
    }

    @Override
    public Object getTarget() {
        Jenkins.get().checkPermission(Jenkins.SYSTEM_READ);
        return this;
    }

    public TransferOverview getOverview() {
        return new TransferOverview(TransferRegistry.get(), System.currentTimeMillis());
    }

    public Api getApi() {
        return new Api(getOverview());
    }

    @POST
    public HttpResponse doClear() {
        Jenkins.get().checkPermission(Jenkins.MANAGE);
        TransferRegistry.get().clear();
        return HttpResponses.redirectToDot();
    }

    /** Returns the task behind {@link #doUnpack}. */
    public UnpackTask getUnpacking() {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        return unpacking;
    }

    @POST
    public HttpResponse doUnpack(@QueryParameter String job) {
        getUnpacking().start(job);
        return HttpResponses.redirectToDot();
    }
}
