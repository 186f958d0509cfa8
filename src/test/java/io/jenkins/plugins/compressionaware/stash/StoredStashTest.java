package io.jenkins.plugins.compressionaware.stash;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jenkins.metrics.api.Metrics;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stashes in a store, from one agent to another, each in a process of its own. */
class StoredStashTest extends StoreTestBase {
    private static final String FILL =
            "sh 'mkdir -p d && head -c 20000000 /dev/urandom > d/noise && seq 1 300000 > text && md5sum d/noise text >"
                    + " sums'";

    private Slave first;
    private Slave second;

    @BeforeEach
    void start() throws Exception {
        first = InboundTransport.TCP.start(agents, r);
        second = InboundTransport.WEBSOCKET.start(agents, r);
    }

    private String on(Slave agent, String steps) {
        return "node('" + agent.getNodeName() + "') {" + steps + "}\n";
    }

    @Test
    void anotherAgentUnpacksIt() throws Exception {
        RecordingTransferListener recorder = RecordingTransferListener.listen();
        WorkflowJob job = pipeline(on(first, FILL + "; stash 'x'; writeFile file: 'more', text: '1'; stash 'x'")
                + on(second, "unstash 'x'; sh 'md5sum -c sums'; echo 'more ' + readFile('more')"));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        r.assertLogContains("more 1", build);
        assertEquals(3, recorder.completed.size());
        for (TransferResult result : recorder.completed) {
            assertEquals(0, result.channelBytes, "the controller passes nothing on");
            assertTrue(result.directBytes > 20_000_000, result.directBytes + " bytes");
        }
        TestStore.cleanLater();
        assertEquals(Set.of(), store.keys());
    }

    /** Each is signed anew. */
    private static long repeatedPuts() {
        return count("put.busy") + count("put.timeout") + count("put.broken");
    }

    private static long count(String request) {
        return Metrics.metricRegistry()
                .meter("jenkins.artifact_transfer.store." + request)
                .getCount();
    }

    @Test
    void fiftyReadersCostFiftySignatures() throws Exception {
        RecordingTransferListener recorder = RecordingTransferListener.listen();
        long signed = count("sign.ok");
        long read = count("get.ok");
        long repeated = repeatedPuts();
        String unstash = IntStream.range(0, 25)
                        .mapToObj(n -> "d" + n + ": { dir('d" + n + "') { unstash 'x' } }")
                        .collect(Collectors.joining(", ", "parallel(", ");"))
                + "sh 'for d in d*; do (cd $d && md5sum -c sums) || exit 1; done'";
        r.buildAndAssertSuccess(
                pipeline(on(first, "sh 'seq 1 300000 > text && md5sum text > sums'; stash 'x';" + unstash)
                        + on(second, unstash)));
        assertEquals(51, recorder.completed.size());
        recorder.completed.forEach(result -> assertEquals(0, result.channelBytes));
        assertEquals(51 + repeatedPuts() - repeated, count("sign.ok") - signed, "the stash has one part");
        assertTrue(count("get.ok") - read >= 50, "those of agents are counted");
    }

    /** Such as the role of the machine; here, they are variables of the environment. */
    @Test
    void credentialsOfTheMachineSuffice() throws Exception {
        S3Store setting = store.setting();
        setting.setCredentialsId(null);
        factory.setStore(setting);
        r.buildAndAssertSuccess(pipeline(on(first, FILL + "; stash 'x'; archiveArtifacts 'd/*'")
                + on(second, "unstash 'x'; sh 'md5sum -c sums'")));
        assertEquals(2, store.keys().size(), "that of the stash is deleted later");
    }

    @Test
    void preservedStashSurvivesTheDeletionOfItsBuild() throws Exception {
        WorkflowJob job = pipeline("""
            pipeline {
                agent { label 'AGENT' }
                options { preserveStashes(buildCount: 2) }
                stages {
                    stage('one') { steps { writeFile file: 'a', text: 'kept'; stash 'x' } }
                    stage('two') { steps { deleteDir(); unstash 'x'; echo 'read ' + readFile('a') } }
                }
            }
            """.replace("AGENT", first.getNodeName()));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        r.assertLogContains("read kept", build);
        assertEquals(1, store.keys().size());
        build.getAction(org.jenkinsci.plugins.pipeline.modeldefinition.actions.RestartDeclarativePipelineAction.class)
                .run("two");
        r.waitUntilNoActivity();
        r.assertLogContains("read kept", r.assertBuildStatusSuccess(job.getBuildByNumber(2)));
        build.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
        r.assertLogContains("read kept", job.getBuildByNumber(2));
    }

    @Test
    void controllerUnpacksIt() throws Exception {
        r.buildAndAssertSuccess(
                pipeline(on(first, FILL + "; stash 'x'") + "node('built-in') { unstash 'x'; sh 'md5sum -c sums' }"));
    }
}
