package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.matrix.AxisList;
import hudson.matrix.MatrixProject;
import hudson.matrix.MatrixRun;
import hudson.matrix.TextAxis;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.CreateFileBuilder;

/** The precedence of settings. The system setting is gzip. */
class PrecedenceTest extends JenkinsTestBase {
    private static final String SCRIPT = """
            node('remote') {
                writeFile file: 'x', text: 'x'
                archiveArtifacts 'x'
                withArtifactTransfer(codec: 'none') { archiveArtifacts 'x' }
            }
            """;
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

    @Test
    void jobOverridesNearestFolderWhichOverridesOthers() throws Exception {
        Folder outer = r.createProject(Folder.class, "outer");
        outer.addProperty(folderChoice("zstd"));
        Folder inner = outer.createProject(Folder.class, "inner");
        WorkflowJob job = jobIn(inner);
        assertEquals(List.of(BY_STEP, "zstd: set by the folder outer"), build(job));

        inner.addProperty(folderChoice("gzip"));
        assertEquals(List.of("gzip: set by the folder outer/inner", BY_STEP), build(job));

        job.addProperty(jobChoice("zstd"));
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

    /** An unset field is inherited, but a level only together with its codec. */
    @Test
    void fieldsAreInheritedSeparately() throws Exception {
        Folder folder = r.createProject(Folder.class, "folder");
        FolderArtifactTransferProperty ofFolder = folderChoice("zstd");
        ofFolder.setDelta("off");
        folder.addProperty(ofFolder);
        WorkflowJob job = jobIn(folder);
        ArtifactTransferProperty ofJob = jobChoice("none");
        job.addProperty(ofJob);
        EffectiveSettings resolved = EffectiveSettings.of(archiving.factory, job, null);
        assertEquals("none", resolved.settings().codec());
        assertFalse(resolved.settings().delta());
        ofJob.setDelta("auto");
        assertTrue(EffectiveSettings.of(archiving.factory, job, null).settings().delta());
        archiving.factory.setDelta("off");
        assertTrue(EffectiveSettings.of(archiving.factory, job, null).settings().delta());
        archiving.factory.setLockOverrides(true);
        resolved = EffectiveSettings.of(archiving.factory, job, null);
        assertFalse(resolved.settings().delta());
        assertEquals("gzip", resolved.settings().codec());

        archiving.factory.setLockOverrides(false);
        ofFolder.setLevel(7);
        ofJob.setCodec("");
        resolved = EffectiveSettings.of(archiving.factory, job, null);
        assertEquals("zstd", resolved.settings().codec());
        assertEquals(7, resolved.settings().level());
        assertEquals("set by the folder folder", resolved.overriddenBy());
        ofJob.setLevel(2);
        assertEquals(
                2, EffectiveSettings.of(archiving.factory, job, null).settings().level());
        ofJob.setCodec("gzip");
        ofJob.setLevel(null);
        assertEquals(
                6, EffectiveSettings.of(archiving.factory, job, null).settings().level());
    }

    @Test
    void otherCodecDoesNotInheritLevel() throws Exception {
        archiving.factory.setLevel(9);
        assertEquals(9, archiving.factory.settings().level());
        for (var level : Map.of("none", 0, "zstd", 3, "gzip", 6).entrySet()) {
            TransferOverride choice = TransferOverride.unchecked(level.getKey(), null);
            assertEquals(
                    level.getValue(), archiving.factory.settings().with(choice).level());
        }
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
}
