package io.jenkins.plugins.compressionaware.testing.jenkins;

import hudson.model.BuildListener;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.model.StreamBuildListener;
import hudson.model.TopLevelItem;
import hudson.security.Permission;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.config.FolderArtifactTransferProperty;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManagerConfiguration;
import org.htmlunit.HttpMethod;
import org.htmlunit.WebRequest;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.MockAuthorizationStrategy;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** Gives each test a Jenkins, and inbound agents on demand. */
@WithJenkins
public abstract class JenkinsTestBase {
    @RegisterExtension
    protected final InboundAgentExtension agents = new InboundAgentExtension();

    protected static final BuildListener QUIET =
            new StreamBuildListener(OutputStream.nullOutputStream(), StandardCharsets.UTF_8);

    /** The settings, which {@link #usePlugin} activates. */
    protected final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();

    protected JenkinsRule r;

    @BeforeEach
    protected final void setJenkins(JenkinsRule rule) {
        r = rule;
    }

    protected final void usePlugin() {
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
    }

    protected final WorkflowJob pipeline(String script) throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.setDefinition(new CpsFlowDefinition(script, true));
        return job;
    }

    protected static ArtifactTransferProperty jobChoice(String codec) {
        ArtifactTransferProperty choice = new ArtifactTransferProperty();
        choice.setCodec(codec);
        return choice;
    }

    protected static FolderArtifactTransferProperty folderChoice(String codec) {
        FolderArtifactTransferProperty choice = new FolderArtifactTransferProperty();
        choice.setCodec(codec);
        return choice;
    }

    /** Creates a job that archives its workspace on this agent. */
    protected final FreeStyleProject archiving(Slave agent) throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedNode(agent);
        job.getPublishersList().add(new ArtifactArchiver("**"));
        return job;
    }

    protected final JenkinsRule.WebClient login(String user) throws Exception {
        JenkinsRule.WebClient client = r.createWebClient();
        client.getOptions().setCssEnabled(false); // parsing it needs most of the time
        return client.login(user);
    }

    /** Secures Jenkins, and gives each user these permissions everywhere. */
    protected final void permit(Map<String, List<Permission>> permissions) {
        MockAuthorizationStrategy strategy = new MockAuthorizationStrategy();
        permissions.forEach((user, granted) ->
                strategy.grant(granted.toArray(new Permission[0])).everywhere().to(user));
        r.jenkins.setSecurityRealm(r.createDummySecurityRealm());
        r.jenkins.setAuthorizationStrategy(strategy);
    }

    /** Sends a POST request with a crumb, and returns the status of the response. */
    protected static int post(JenkinsRule.WebClient client, String path) throws Exception {
        client.setThrowExceptionOnFailingStatusCode(false);
        WebRequest request = new WebRequest(new URL(client.getContextPath() + path), HttpMethod.POST);
        return client.getPage(client.addCrumb(request)).getWebResponse().getStatusCode();
    }

    /** Sends a GET request, and returns the status of the response. */
    protected static int get(JenkinsRule.WebClient client, String path) throws Exception {
        client.setThrowExceptionOnFailingStatusCode(false);
        return client.goTo(path, null).getWebResponse().getStatusCode();
    }

    /** Creates and returns a job's workspace on an agent. */
    protected static Path workspaceOf(Slave agent, TopLevelItem job) throws IOException {
        return Files.createDirectories(Path.of(agent.getWorkspaceFor(job).getRemote()));
    }

    /** Returns the folder of a build's artifacts. */
    @SuppressWarnings("deprecation")
    protected static Path archiveOf(Run<?, ?> build) {
        return build.getArtifactsDir().toPath();
    }
}
