package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Computer;
import hudson.model.Item;
import hudson.model.Result;
import hudson.model.User;
import hudson.plugins.copyartifact.CopyArtifactPermissionProperty;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import java.nio.file.Files;
import java.util.List;
import jenkins.model.Jenkins;
import jenkins.security.QueueItemAuthenticatorConfiguration;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.MockAuthorizationStrategy;
import org.jvnet.hudson.test.MockQueueItemAuthenticator;

/** Tests that a user without permission to copy artifacts cannot fetch or pack them. */
class FetchPermissionTest extends FetchTestBase {
    private static final String ARTIFACTS = "hudson.security.ArtifactsPermission";

    private final MockAuthorizationStrategy may = new MockAuthorizationStrategy();

    @BeforeEach
    void start() throws Exception {
        factory.setAccelerateCopyArtifacts(true);
        usePlugin();
        start(InboundTransport.TCP);
        Files.writeString(emptyArchive().resolve("a"), "a");
        r.jenkins.setSecurityRealm(r.createDummySecurityRealm());
        may.grant(Jenkins.ADMINISTER).everywhere().to("admin");
        r.jenkins.setAuthorizationStrategy(may);
    }

    @AfterEach
    void forget() {
        System.clearProperty(ARTIFACTS);
    }

    private WorkflowRun copy(Result result, String job) throws Exception {
        WorkflowJob copier = Pipelines.create(r, job, "node('" + agent.getNodeName() + "') { copyArtifacts 'source' }");
        return r.assertBuildStatus(result, copier.scheduleBuild2(0));
    }

    private void runAs(String job, String user) throws Exception {
        QueueItemAuthenticatorConfiguration.get()
                .getAuthenticators()
                .replace(new MockQueueItemAuthenticator()
                        .authenticate(job, User.getById(user, true).impersonate2()));
    }

    private void assertRefused(WorkflowRun build, String reason) throws Exception {
        r.assertLogContains(reason, build);
        assertEquals(List.of(), recorder.started);
    }

    @Test
    void unreadableJobIsRefused() throws Exception {
        assertRefused(copy(Result.FAILURE, "copier"), "Unable to find project for artifact copy: source");
    }

    @Test
    void jobReadableByAuthenticatedUsersIsFetched() throws Exception {
        may.grant(Item.READ).onItems(source).toAuthenticated();
        copy(Result.SUCCESS, "copier");
        assertEquals(1, recorder.completed.size());
    }

    @Test
    void copyPermissionOfJobAllowsFetch() throws Exception {
        source.addProperty(new CopyArtifactPermissionProperty("copier"));
        copy(Result.SUCCESS, "copier");
        assertEquals(1, recorder.completed.size());
        recorder.started.clear();
        assertRefused(copy(Result.FAILURE, "other"), "Unable to find project for artifact copy: source");
    }

    @Test
    void buildUsesPermissionsOfItsUser() throws Exception {
        may.grant(Item.READ).onItems(source).to("reader");
        may.grant(Computer.BUILD).everywhere().toEveryone();
        runAs("asStranger", "stranger");
        assertRefused(copy(Result.FAILURE, "asStranger"), "Unable to find project for artifact copy: source");
        runAs("asReader", "reader");
        copy(Result.SUCCESS, "asReader");
        assertEquals(1, recorder.completed.size());
    }

    @Test
    void readableJobWithUnreadableArtifactsIsRefused() throws Exception {
        System.setProperty(ARTIFACTS, "true");
        may.grant(Item.READ).onItems(source).toAuthenticated();
        assertRefused(copy(Result.FAILURE, "copier"), "source #1");
    }
}
