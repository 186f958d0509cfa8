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
import io.jenkins.plugins.compressionaware.testkit.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.util.List;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.CreateFileBuilder;

/** The global choice here is gzip. */
class PrecedenceTest extends OnJenkins {
    private static final String SCRIPT = """
            node('remote') {
                writeFile file: 'x', text: 'x'
                archiveArtifacts 'x'
                withArtifactTransfer('none') { archiveArtifacts 'x' }
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
    void theStepBeatsTheJobAndTheJobBeatsGlobal() throws Exception {
        WorkflowJob job = jobIn(null);
        assertEquals(List.of("gzip", BY_STEP), build(job));
        job.addProperty(new ArtifactTransferProperty("lz4"));
        assertEquals(List.of("lz4: set by the job", BY_STEP), build(job));
    }

    @Test
    void theJobBeatsTheNearestFolderWhichBeatsOthers() throws Exception {
        Folder outer = r.createProject(Folder.class, "outer");
        outer.addProperty(new FolderArtifactTransferProperty("zstd"));
        Folder inner = outer.createProject(Folder.class, "inner");
        WorkflowJob job = jobIn(inner);
        assertEquals(List.of(BY_STEP, "zstd: set by the folder outer"), build(job));

        inner.addProperty(new FolderArtifactTransferProperty("lz4"));
        assertEquals(List.of("lz4: set by the folder outer/inner", BY_STEP), build(job));

        job.addProperty(new ArtifactTransferProperty("zstd"));
        assertEquals(List.of(BY_STEP, "zstd: set by the job"), build(job));
    }

    @Test
    void aLockedGlobalChoiceBeatsAll() throws Exception {
        Folder folder = r.createProject(Folder.class, "folder");
        folder.addProperty(new FolderArtifactTransferProperty("zstd"));
        WorkflowJob job = jobIn(folder);
        job.addProperty(new ArtifactTransferProperty("lz4"));
        archiving.factory.setLocked(true);
        assertEquals(List.of("gzip", "gzip"), build(job));

        FreeStyleProject freestyle = freestyle();
        freestyle.addProperty(new ArtifactTransferProperty("none"));
        assertEquals(List.of("gzip"), Archiving.of(r.buildAndAssertSuccess(freestyle)));
    }

    /** Whoever has chosen a codec and not this has left it to others. */
    @Test
    void theNearestChoiceOfTheDeltaCounts() throws Exception {
        Folder folder = r.createProject(Folder.class, "folder");
        FolderArtifactTransferProperty ofFolder = new FolderArtifactTransferProperty("zstd");
        ofFolder.setDelta("off");
        folder.addProperty(ofFolder);
        WorkflowJob job = jobIn(folder);
        ArtifactTransferProperty ofJob = new ArtifactTransferProperty("lz4");
        job.addProperty(ofJob);
        ResolvedTransfer resolved = ResolvedTransfer.of(archiving.factory, job, null);
        assertEquals("lz4", resolved.settings().codec());
        assertFalse(resolved.settings().delta());
        ofJob.setDelta("auto");
        assertTrue(ResolvedTransfer.of(archiving.factory, job, null).settings().delta());
        archiving.factory.setDelta("off");
        assertTrue(ResolvedTransfer.of(archiving.factory, job, null).settings().delta());
        archiving.factory.setLocked(true);
        assertFalse(ResolvedTransfer.of(archiving.factory, job, null).settings().delta());
    }

    @Test
    void inFreestyleTheJobBeatsGlobal() throws Exception {
        FreeStyleProject job = freestyle();
        assertEquals(List.of("gzip"), Archiving.of(r.buildAndAssertSuccess(job)));
        job.addProperty(new ArtifactTransferProperty("lz4"));
        assertEquals(List.of("lz4: set by the job"), Archiving.of(r.buildAndAssertSuccess(job)));
    }

    @Test
    void aChoiceOfLz4LeavesTheLevelOfTheGlobalCodecAlone() throws Exception {
        archiving.factory.setLevel(9);
        assertEquals(9, archiving.factory.settings().level());
        assertEquals(
                0, archiving.factory.settings().with(TransferChoice.of("lz4")).level());
        assertEquals(
                3, archiving.factory.settings().with(TransferChoice.of("zstd")).level());
    }

    @Test
    void aMatrixJobsChoiceHoldsForItsConfigurations() throws Exception {
        MatrixProject job = r.createProject(MatrixProject.class);
        job.setAxes(new AxisList(new TextAxis("AXIS", "one")));
        job.setAssignedLabel(Label.get("remote"));
        job.getBuildersList().add(new CreateFileBuilder("x", "x"));
        job.getPublishersList().add(new ArtifactArchiver("x"));
        job.addProperty(new ArtifactTransferProperty("lz4"));
        MatrixRun run = r.buildAndAssertSuccess(job).getExactRuns().get(0);
        assertEquals(List.of("lz4: set by the job"), Archiving.of(run));
    }

    private FreeStyleProject freestyle() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedLabel(Label.get("remote"));
        job.getBuildersList().add(new CreateFileBuilder("x", "x"));
        job.getPublishersList().add(new ArtifactArchiver("x"));
        return job;
    }
}
