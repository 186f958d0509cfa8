package io.jenkins.plugins.compressionaware;

import org.jenkinsci.plugins.workflow.ArtifactManagerTest;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** The kit that every artifact manager runs. */
@WithJenkins
class ComplianceTest {
    @Test
    void artifactsOfAnOrdinaryBuild(JenkinsRule r) throws Exception {
        ArtifactManagerTest.artifactArchiveAndDelete(r, new CompressionAwareArtifactManagerFactory(), false);
    }

    @Test
    void namesWithUnusualCharacters(JenkinsRule r) throws Exception {
        ArtifactManagerTest.artifactArchiveAndDelete(r, new CompressionAwareArtifactManagerFactory(), true);
    }

    @Test
    void stashes(JenkinsRule r) throws Exception {
        ArtifactManagerTest.artifactStashAndDelete(r, new CompressionAwareArtifactManagerFactory(), true);
    }

    @Test
    void stashesWithOrdinaryNames(JenkinsRule r) throws Exception {
        ArtifactManagerTest.artifactStashAndDelete(r, new CompressionAwareArtifactManagerFactory(), false);
    }
}
