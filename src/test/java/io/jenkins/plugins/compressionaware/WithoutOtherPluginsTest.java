package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.CreateFileBuilder;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** Tests the plugin in a Jenkins without Pipeline, folders and other optional plugins. */
class WithoutOtherPluginsTest {
    @RegisterExtension
    private final RealJenkinsExtension jenkins = new RealJenkinsExtension().omitPlugins("""
                    workflow-step-api workflow-api workflow-support workflow-job workflow-cps workflow-basic-steps
                    workflow-durable-task-step workflow-scm-step workflow-multibranch cloudbees-folder metrics
                    opentelemetry-api branch-api job-dsl pipeline-model-definition pipeline-model-extensions
                    pipeline-model-api pipeline-groovy-lib pipeline-input-step pipeline-stage-step
                    pipeline-stage-tags-metadata durable-task matrix-project junit mailer checks-api
                    credentials-binding config-file-provider ssh-slaves configuration-as-code aws-credentials
                    aws-java-sdk2-s3 aws-java-sdk2-ec2 aws-java-sdk2-core aws-java-sdk-ec2 aws-java-sdk-minimal
                    """.split("\\s+"));

    @RegisterExtension
    private final InboundAgentExtension agents = new InboundAgentExtension();

    @Test
    void jobOverrideWorksWithoutOptionalPlugins() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(r -> {
            assertNull(r.jenkins.pluginManager.getPlugin("workflow-step-api"));
            assertNull(r.jenkins.pluginManager.getPlugin("cloudbees-folder"));
            assertNull(r.jenkins.pluginManager.getPlugin("metrics"));
            assertNull(r.jenkins.pluginManager.getPlugin("opentelemetry-api"));
            assertNull(r.jenkins.pluginManager.getPlugin("aws-java-sdk2-core"));
            assertNotNull(r.jenkins.pluginManager.getPlugin("compression-aware-artifacts"));
            Archiving.configure();
            r.configRoundtrip();
            FreeStyleProject job = r.createFreeStyleProject("job");
            job.setAssignedNode(r.jenkins.getNode("remote"));
            ArtifactTransferProperty choice = new ArtifactTransferProperty();
            choice.setCodec("zstd");
            job.addProperty(choice);
            job.getBuildersList().add(new CreateFileBuilder("x", "x"));
            job.getPublishersList().add(new ArtifactArchiver("x"));
            FreeStyleBuild build = r.buildAndAssertSuccess(job);
            r.assertLogContains("(set by the job)", build);
            // not the subclass for Pipeline, not even for a build that was saved by the subclass
            assertEquals(
                    CompressionAwareArtifactManager.class,
                    build.getArtifactManager().getClass());
            Path saved = build.getRootDir().toPath().resolve("build.xml");
            String name = CompressionAwareArtifactManager.class.getName();
            String withPipeline = "class=\"" + CompressionAwareArtifactManager.class.getPackageName()
                    + ".PipelineArtifactManager\" resolves-to=\"" + name + '"';
            Files.writeString(saved, Files.readString(saved).replace("class=\"" + name + '"', withPipeline));
            assertTrue(Files.readString(saved).contains(withPipeline));
            build.reload();
            assertEquals(
                    CompressionAwareArtifactManager.class,
                    build.getArtifactManager().getClass());
            r.configRoundtrip(job);
            assertEquals("zstd", job.getProperty(ArtifactTransferProperty.class).getCodec());
        });
    }
}
