package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.nio.file.Files;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;

/** Fetches some artifacts of a build whose artifacts are in a store. */
class StoredPartsFetchTest extends PackedPartsFetchTest {
    @Override
    void pack() throws Exception {
        factory.setStore(TestStore.start().setting());
    }

    @Test
    void controllerPassesNothingOn() throws Exception {
        FileTrees.write(workspace, "a/text", "first");
        Files.write(workspace.resolve("b"), FileTrees.noise(30_000_000));
        FileTrees.write(workspace, "c/text", " last");
        r.buildAndAssertSuccess(source);
        recorder.completed.clear();
        WorkflowRun build = run("fetchArtifacts projectName: 'source', filter: '*/text';"
                + " echo 'read ' + readFile('a/text') + readFile('c/text') + fileExists('b')");
        r.assertBuildStatusSuccess(build);
        r.assertLogContains("read first lastfalse", build);
        r.assertLogContains(" s3://", build);
        assertEquals(1, recorder.completed.size());
        TransferResult fetch = recorder.completed.get(0);
        assertEquals(0, fetch.channelBytes);
        assertEquals(fetch.wireBytes, fetch.directBytes);
        assertTrue(fetch.directBytes > 0 && fetch.directBytes < 2_000_000, fetch.directBytes + " bytes");
        assertEquals(10, fetch.rawBytes);
    }
}
