package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects whose records Jenkins or a build has changed. */
class StoreCleanupTest extends JenkinsTestBase {
    private TestStore store;
    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void start() throws Exception {
        store = TestStore.start();
        usePlugin();
        factory.setStore(store.setting());
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        FileTrees.write(workspaceOf(agent, job), "a", "text");
    }

    @Test
    void objectsOfDiscardedArtifactsAreDeleted() throws Exception {
        FreeStyleBuild discarded = r.buildAndAssertSuccess(job);
        Set<String> gone = store.keys();
        r.buildAndAssertSuccess(job);
        discarded.deleteArtifacts();
        StoreCleanup.searchBuilds();
        StoreCleanup.journal().clean();
        assertEquals(1, store.keys().size());
        assertTrue(store.keys().stream().noneMatch(gone::contains), gone.toString());
    }

    /** A build that was archived by Jenkins itself may have any file there. */
    @Test
    void copiedRecordReadsAndDeletesNothing() throws Exception {
        FreeStyleBuild victim = r.buildAndAssertSuccess(job);
        FreeStyleBuild attacker = r.buildAndAssertSuccess(job);
        Path record = archiveOf(victim).resolve("packed-artifacts/1.tar.zst");
        Path folder = archiveOf(attacker).resolve("packed-artifacts");
        Files.copy(record, folder.resolve("2.tar.zst"));
        Files.copy(record, folder.resolve("logo.png"));
        assertThrows(
                IOException.class,
                () -> attacker.getArtifactManager().root().child("a").open());
        attacker.delete();
        await().untilAsserted(() -> assertEquals(1, store.keys().size()));
        try (var in = victim.getArtifactManager().root().child("a").open()) {
            assertEquals(4, in.readAllBytes().length);
        }
    }

    @Test
    void renamedJobKeepsItsObjects() throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        job.renameTo("renamed");
        StoreCleanup.searchBuilds();
        StoreCleanup.journal().clean();
        try (var in = build.getArtifactManager().root().child("a").open()) {
            assertEquals(4, in.readAllBytes().length);
        }
        job.delete();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }

    /** The second one is on the controller. */
    @Test
    void stashThatReplacesAnObjectDeletesIt() throws Exception {
        WorkflowJob stashing = pipeline("node('" + agent.getNodeName()
                + "') { writeFile file: 'a', text: '1'; stash 'x' }\n"
                + "node('built-in') { writeFile file: 'a', text: '2'; stash 'x'; sleep 600 }");
        var build = stashing.scheduleBuild2(0).waitForStart();
        r.waitForMessage("Sleeping for", build);
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
        build.doStop();
        r.waitForCompletion(build);
    }
}
