package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jenkinsci.plugins.pipeline.modeldefinition.properties.PreserveStashesJobProperty;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checksum xxhash64 and the codec lz4 in all kinds of transfers, with an agent in another process. */
@Timeout(600)
class ChecksumTest extends JenkinsTestBase {
    @TempDir
    private Path tmp;

    @ParameterizedTest
    @CsvSource({"auto, 'ZSTD, LZ4'", "gzip, LZ4", "lz4, 'ZSTD, LZ4'"})
    void allTransfersWorkWithXxhash64(String codec, String librariesOfStash) throws Exception {
        factory.setCodec(codec);
        factory.setChecksum("xxhash64");
        usePlugin();
        Path from = Files.createDirectory(tmp.resolve("from"));
        Files.writeString(from.resolve("text"), "the quick brown fox\n".repeat(1_000_000));
        Files.write(from.resolve("noise"), FileTrees.noise(5_000_000));
        Slave agent = InboundTransport.TCP.start(agents, r);
        WorkflowJob job = pipeline("""
            node('%s') {
                ws('%s') { archiveArtifacts '**'; stash 'x' }
                ws('%s') { unstash 'x' }
                ws('%s') { fetchArtifacts projectName: env.JOB_NAME, selector: specific(env.BUILD_NUMBER) }
            }
            """.formatted(agent.getNodeName(), from, tmp.resolve("to"), tmp.resolve("fetched")));
        job.addProperty(new PreserveStashesJobProperty());
        WorkflowRun build = r.buildAndAssertSuccess(job);
        Map<String, String> tree = FileTrees.describe(from);
        assertEquals(tree, FileTrees.describe(archiveOf(build)));
        assertEquals(tree, FileTrees.describe(tmp.resolve("to")));
        assertEquals(tree, FileTrees.describe(tmp.resolve("fetched")));
        r.assertLogNotContains("lz4-java", build);
        Path stash = build.getRootDir().toPath().resolve("stashes/x.tar.zst");
        try (FrameFile frames = FrameFile.open(stash)) {
            assertEquals("[" + librariesOfStash + "]", frames.libraries().toString());
        }
    }
}
