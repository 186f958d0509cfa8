package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.matrix.AxisList;
import hudson.matrix.MatrixProject;
import hudson.matrix.MatrixRun;
import hudson.matrix.TextAxis;
import hudson.model.AbstractItem;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.StringReader;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import jenkins.branch.BranchSource;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.scm.impl.mock.MockSCMController;
import jenkins.scm.impl.mock.MockSCMDiscoverBranches;
import jenkins.scm.impl.mock.MockSCMSource;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.CreateFileBuilder;
import org.jvnet.hudson.test.JenkinsRule;

/** The precedence of settings. The system setting is gzip. */
class PrecedenceTest extends JenkinsTestBase {
    private static final String SCRIPT = """
        node('remote') {
            writeFile file: 'x', text: 'x'
            archiveArtifacts 'x'
            withArtifactTransfer(codec: 'none') { archiveArtifacts 'x' }
        }
        """;

    private static final String JENKINSFILE = "node('remote') { writeFile file: 'x', text: 'x'; archiveArtifacts 'x' }";

    private static final Pattern STASH = Pattern.compile("(?m)^Stash \\w: .* sent[^;]*; ([^;\\n]*)");

    private static final String BY_STEP = "none: set by withArtifactTransfer";

    private Archiving archiving;

    @BeforeEach
    void start() throws Exception {
        archiving = new Archiving(r);
    }

    private WorkflowJob jobIn(Folder folder) throws Exception {
        WorkflowJob job = folder == null
                ? r.createProject(WorkflowJob.class)
                : folder.createProject(
                        WorkflowJob.class, "job" + folder.getItems().size());
        job.setDefinition(new CpsFlowDefinition(SCRIPT, true));
        return job;
    }

    private List<String> build(WorkflowJob job) throws Exception {
        return Archiving.of(r.buildAndAssertSuccess(job));
    }

    @Test
    void stepOverridesJobAndJobOverridesSystem() throws Exception {
        WorkflowJob job = jobIn(null);
        assertEquals(List.of("gzip", BY_STEP), build(job));
        job.addProperty(jobChoice("zstd"));
        assertEquals(List.of(BY_STEP, "zstd: set by the job"), build(job));
    }

    /** Who may configure a job may send any configuration to {@code config.xml}. */
    @Test
    void incompleteConfigurationInheritsAndStaysInApi() throws Exception {
        Folder folder = r.createProject(Folder.class);
        WorkflowJob job = jobIn(folder);
        job.addProperty(new ArtifactTransferProperty());
        folder.addProperty(new FolderArtifactTransferProperty());
        for (AbstractItem item : List.of(job, folder)) {
            String saved = item.getConfigFile().asString();
            String incomplete = saved.replaceAll("<choice/>|(?s)<choice>.*?</choice>", "");
            assertNotEquals(saved, incomplete);
            item.updateByXml((Source) new StreamSource(new StringReader(incomplete)));
        }
        assertEquals(List.of("gzip", BY_STEP), build(job));
        assertTrue(r.createWebClient()
                .goTo("api/xml?depth=2", "application/xml")
                .getWebResponse()
                .getContentAsString()
                .contains(ArtifactTransferProperty.class.getName()));
    }

    @Test
    void jobOverridesNearestFolderWhichOverridesOthers() throws Exception {
        Folder outer = r.createProject(Folder.class, "outer");
        outer.addProperty(folderChoice("zstd"));
        Folder inner = outer.createProject(Folder.class, "inner");
        WorkflowJob job = jobIn(inner);
        ArtifactTransferProperty ofJob = jobChoice("");
        job.addProperty(ofJob);
        assertEquals(List.of(BY_STEP, "zstd: set by the folder outer"), build(job));

        inner.addProperty(folderChoice("gzip"));
        assertEquals(List.of("gzip: set by the folder outer/inner", BY_STEP), build(job));

        ofJob.setCodec("zstd");
        assertEquals(List.of(BY_STEP, "zstd: set by the job"), build(job));
    }

    @Test
    void lockedSystemSettingOverridesOthers() throws Exception {
        Folder folder = r.createProject(Folder.class, "folder");
        folder.addProperty(folderChoice("zstd"));
        WorkflowJob job = jobIn(folder);
        job.addProperty(jobChoice("none"));
        archiving.factory.setLockOverrides(true);
        assertEquals(List.of("gzip", "gzip"), build(job));

        FreeStyleProject freestyle = freestyle();
        freestyle.addProperty(jobChoice("none"));
        assertEquals(List.of("gzip"), Archiving.of(r.buildAndAssertSuccess(freestyle)));
    }

    @Test
    void runningBuildsKeepLockOfRemovedManager() throws Exception {
        WorkflowJob job = jobIn(null);
        job.addProperty(jobChoice("zstd"));
        archiving.factory.setLockOverrides(true);
        build(job);
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
        EffectiveSettings resolved = EffectiveSettings.of(GlobalSettings.get(), job, null);
        assertEquals("gzip", resolved.settings().codec());
    }

    @Test
    void matrixJobSettingsApplyToConfigurations() throws Exception {
        MatrixProject job = r.createProject(MatrixProject.class);
        job.setAxes(new AxisList(new TextAxis("AXIS", "one")));
        job.setAssignedLabel(Label.get("remote"));
        job.getBuildersList().add(new CreateFileBuilder("x", "x"));
        job.getPublishersList().add(new ArtifactArchiver("x"));
        job.addProperty(jobChoice("zstd"));
        MatrixRun run = r.buildAndAssertSuccess(job).getExactRuns().get(0);
        assertEquals(List.of("zstd: set by the job"), Archiving.of(run));
    }

    private FreeStyleProject freestyle() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedLabel(Label.get("remote"));
        job.getBuildersList().add(new CreateFileBuilder("x", "x"));
        job.getPublishersList().add(new ArtifactArchiver("x"));
        return job;
    }

    @Test
    void branchesOverrideProjectInTheirJenkinsfiles() throws Exception {
        try (MockSCMController scm = MockSCMController.create()) {
            scm.createRepository("repo");
            for (String branch : List.of("declarative", "scripted", "silent")) {
                scm.createBranch("repo", branch);
            }
            scm.addFile("repo", "declarative", "add", "Jenkinsfile", """
                pipeline {
                    agent { label 'remote' }
                    options { skipDefaultCheckout(); artifactTransfer(codec: 'none') }
                    stages { stage('s') { steps { script {
                        writeFile file: 'x', text: 'x'
                        archiveArtifacts 'x'
                    } } } }
                }
                """.getBytes());
            scm.addFile(
                    "repo",
                    "scripted",
                    "add",
                    "Jenkinsfile",
                    ("properties([artifactTransfer(codec: 'gzip')])\n" + JENKINSFILE).getBytes());
            scm.addFile("repo", "silent", "add", "Jenkinsfile", JENKINSFILE.getBytes());
            WorkflowMultiBranchProject project = r.createProject(WorkflowMultiBranchProject.class, "project");
            project.addProperty(folderChoice("zstd"));
            project.getSourcesList()
                    .add(new BranchSource(new MockSCMSource(scm, "repo", new MockSCMDiscoverBranches())));
            project.scheduleBuild2(0).getFuture().get();
            r.waitUntilNoActivity();

            assertEquals(List.of("none: set by the job"), choices(project, "declarative"));
            assertEquals(List.of("gzip: set by the job"), choices(project, "scripted"));
            assertEquals(List.of("zstd: set by the folder project"), choices(project, "silent"));
        }
    }

    private static List<String> choices(WorkflowMultiBranchProject project, String branch) throws Exception {
        WorkflowJob job = project.getItem(branch);
        return Archiving.of(job.getLastBuild());
    }

    private static void stashing(WorkflowJob job, String node) throws Exception {
        job.setDefinition(new CpsFlowDefinition("node('" + node + "') {\n" + """
                writeFile file: 'x', text: 'x'
                stash 'a'
                withArtifactTransfer(codec: 'none') { stash 'b' }
                deleteDir()
                unstash 'a'
                withArtifactTransfer(codec: 'gzip') { unstash 'b' }
            }
            """, true));
    }

    private List<String> buildStashes(WorkflowJob job) throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(job);
        String log = JenkinsRule.getLog(build);
        // an unstash sends a frame file as stored and ignores the codec of the step
        assertEquals(2, log.split("Unstash \\w: .*; as stored", -1).length - 1, log);
        List<String> codecs =
                STASH.matcher(log).results().map(found -> found.group(1)).toList();
        assertTrue(codecs.size() == 2, log);
        return codecs;
    }

    @Test
    void stashesFollowSamePrecedence() throws Exception {
        String byStep = "none (set by withArtifactTransfer)";
        Folder folder = r.createProject(Folder.class, "folder");
        WorkflowJob job = folder.createProject(WorkflowJob.class, "job");
        stashing(job, "remote");
        assertEquals(List.of("gzip 6", byStep), buildStashes(job));
        folder.addProperty(folderChoice("zstd"));
        assertEquals(List.of("zstd 3 (set by the folder folder)", byStep), buildStashes(job));
        job.addProperty(jobChoice("none"));
        assertEquals(List.of("none (set by the job)", byStep), buildStashes(job));
        archiving.factory.setLockOverrides(true);
        assertEquals(List.of("gzip 6", "gzip 6"), buildStashes(job));
    }

    @Test
    void controllerStashUsesSameSettings() throws Exception {
        r.jenkins.setNumExecutors(1);
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        stashing(job, "built-in");
        assertEquals(List.of("gzip 6", "none (set by withArtifactTransfer)"), buildStashes(job));
    }
}
