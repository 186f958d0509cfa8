package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.ExtensionList;
import hudson.diagnosis.OldDataMonitor;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.config.FolderArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;
import org.jvnet.hudson.test.recipes.LocalData;

/** Reads settings and builds that the first version saved. */
@WithJenkins
public class UpgradeTest {
    @Test
    @LocalData
    void settingsAndBuildsOfFirstVersionAreRead(JenkinsRule r) throws Exception {
        CompressionAwareArtifactManagerFactory settings = assertInstanceOf(
                CompressionAwareArtifactManagerFactory.class,
                ArtifactManagerConfiguration.get().getArtifactManagerFactories().get(0));
        assertEquals(
                List.of("zstd", 4, 3, "required", 2, "off", "legacy", "a/*"),
                List.of(
                        settings.getCodec(),
                        settings.getLevel(),
                        settings.getThreads(),
                        settings.getDirectHttp(),
                        settings.getMaxStreams(),
                        settings.getReuse(),
                        settings.getExcludedLabels(),
                        settings.getExcludedJobs()));
        Folder folder = r.jenkins.getItemByFullName("folder", Folder.class);
        assertEquals(
                "none",
                folder.getProperties().get(FolderArtifactTransferProperty.class).getCodec());
        WorkflowJob job = r.jenkins.getItemByFullName("folder/job", WorkflowJob.class);
        ArtifactTransferProperty ofJob = job.getProperty(ArtifactTransferProperty.class);
        assertEquals("gzip", ofJob.getCodec());
        assertEquals(3, ofJob.getLevel());
        assertEquals("off", ofJob.getReuse());

        WorkflowRun build = job.getBuildByNumber(1);
        assertInstanceOf(CompressionAwareArtifactManager.class, build.getArtifactManager());
        TransferResult archived =
                build.getAction(BuildTransfersAction.class).getTransfers().get(0);
        assertEquals(100_000, archived.rawBytes);
        assertEquals("zstd", archived.codecs.get(0).codec);
        assertEquals(
                Map.of(), ExtensionList.lookupSingleton(OldDataMonitor.class).getData());

        try (JenkinsRule.WebClient web = r.createWebClient()) {
            String artifact = build.getUrl() + "artifact/a";
            assertEquals(
                    "content\n",
                    web.goTo(artifact, "application/octet-stream")
                            .getWebResponse()
                            .getContentAsString());
            for (String page : List.of(build.getUrl(), job.getUrl(), "manage/")) {
                assertTrue(web.goTo(page + "artifact-transfers/").isHtmlPage(), page);
            }
        }
    }
}
