package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.model.Run;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManager;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.File;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import jenkins.model.StandardArtifactManager;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.jvnet.hudson.test.CreateFileBuilder;
import org.jvnet.hudson.test.TestExtension;

class ExclusionsInBuildsTest extends JenkinsTestBase {
    @BeforeEach
    void start() throws Exception {
        usePlugin();
        r.createOnlineSlave(Label.get("old"));
        r.createOnlineSlave(Label.get("new"));
        factory.setExcludedLabels("old && !exempt");
        factory.setExcludedJobs("legacy/**");
    }

    @Test
    void excludedFolderUsesNextManagerOrCore() throws Exception {
        FreeStyleProject job = r.createProject(Folder.class, "legacy").createProject(FreeStyleProject.class, "job");
        FreeStyleBuild first = build(job, "new");
        assertEquals(StandardArtifactManager.class, first.getArtifactManager().getClass());
        r.assertLogNotContains("Artifacts: ", first);

        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(new NextFactory());
        assertInstanceOf(Next.class, build(job, "new").getArtifactManager());
    }

    @Test
    void freestyleBuildOnExcludedAgentUsesNextManagerOrCore() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        assertEquals(
                StandardArtifactManager.class,
                build(job, "old").getArtifactManager().getClass());
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(new NextFactory());
        assertInstanceOf(Next.class, build(job, "old").getArtifactManager());
        assertInstanceOf(
                CompressionAwareArtifactManager.class, build(job, "new").getArtifactManager());
    }

    @ParameterizedTest
    @CsvSource({"old, new", "new, old"})
    void pipelineUsesCoreTransferFromExcludedAgentsOnly(String first, String second) throws Exception {
        WorkflowJob job = pipeline("""
                for (label in ['%s', '%s']) {
                    node(label) {
                        writeFile file: label, text: label
                        archiveArtifacts label
                    }
                }
                """.formatted(first, second));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertInstanceOf(CompressionAwareArtifactManager.class, build.getArtifactManager());
        r.assertLogContains("(agent slave0 is left out by the settings)", build);
        r.assertLogContains(" sent", build);
        for (String label : new String[] {first, second}) {
            assertEquals(
                    label,
                    new String(build.getArtifactManager()
                            .root()
                            .child(label)
                            .open()
                            .readAllBytes()));
        }
    }

    private FreeStyleBuild build(FreeStyleProject job, String label) throws Exception {
        job.setAssignedLabel(Label.get(label));
        job.getBuildersList().replace(new CreateFileBuilder("x", "x"));
        job.getPublishersList().replace(new ArtifactArchiver("x"));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        assertTrue(new File(build.getRootDir(), "archive/x").isFile());
        return build;
    }

    public static final class Next extends StandardArtifactManager {
        Next(Run<?, ?> build) {
            super(build);
        }
    }

    public static final class NextFactory extends ArtifactManagerFactory {
        @Override
        public ArtifactManager managerFor(Run<?, ?> build) {
            return new Next(build);
        }

        @TestExtension
        public static final class DescriptorImpl extends ArtifactManagerFactoryDescriptor {}
    }
}
