package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.util.List;
import jenkins.branch.BranchSource;
import jenkins.scm.impl.mock.MockSCMController;
import jenkins.scm.impl.mock.MockSCMDiscoverBranches;
import jenkins.scm.impl.mock.MockSCMSource;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject;
import org.junit.jupiter.api.Test;

class MultibranchTest extends JenkinsTestBase {
    private static final String ARCHIVE = "node('remote') { writeFile file: 'x', text: 'x'; archiveArtifacts 'x' }";

    @Test
    void branchesOverrideProjectInTheirJenkinsfiles() throws Exception {
        new Archiving(r);
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
                    ("properties([artifactTransfer(codec: 'gzip')])\n" + ARCHIVE).getBytes());
            scm.addFile("repo", "silent", "add", "Jenkinsfile", ARCHIVE.getBytes());
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
}
