package io.jenkins.plugins.compressionaware.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.Result;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.config.FolderArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.StoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Builds of a folder that chooses a store by its name. */
class FolderStoreTest extends StoreTestBase {
    private static final String SCRIPT = "writeFile file: 'a', text: 'text'; archiveArtifacts 'a'; stash 's';"
            + " deleteDir(); unstash 's'; if (readFile('a') != 'text') { error 'other bytes' }";

    private Slave agent;
    private Folder folder;
    private WorkflowJob job;

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.TCP.start(agents, r);
        factory.setStores(List.of(team("other"), team("team-a")));
        folder = r.createProject(Folder.class, "folder");
        FolderArtifactTransferProperty choice = new FolderArtifactTransferProperty();
        choice.setStore("team-a");
        folder.addProperty(choice);
        job = folder.createProject(Folder.class, "inner").createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition("node('" + agent.getNodeName() + "') { " + SCRIPT + " }", true));
    }

    private S3Store team(String name) {
        S3Store setting = store.setting();
        setting.setName(name);
        setting.setPrefix(setting.getPrefix() + '/' + name);
        return setting;
    }

    /** Returns the folders of the bucket that have objects, and the number of these. */
    private String folders() throws IOException {
        return store.keys().stream()
                .collect(Collectors.groupingBy(
                        key -> key.contains("/team-a/") ? "team-a" : key.contains("/other/") ? "other" : "system",
                        TreeMap::new,
                        Collectors.counting()))
                .toString();
    }

    @Test
    void buildsUseTheChosenStore() throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertEquals("{team-a=2}", folders());
        r.buildAndAssertSuccess(pipeline("node('" + agent.getNodeName() + "') { " + SCRIPT + " }"));
        assertEquals("{system=2, team-a=2}", folders());
        factory.setLockOverrides(true);
        r.buildAndAssertSuccess(job);
        assertEquals("{system=4, team-a=2}", folders());
        build.delete();
        TestStore.cleanLater(); // stashes of the others, too
        await().untilAsserted(() -> assertEquals("{system=2}", folders()));
    }

    @Test
    void buildsSurviveTheirStoresRemoval() throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(job);
        factory.setStores(List.of(team("other")));
        WorkflowRun failed = r.buildAndAssertStatus(Result.FAILURE, job);
        r.assertLogContains("The folder folder chooses the store “team-a”, which is not defined", failed);
        assertEquals("{team-a=2}", folders());
        try (var in = build.getArtifactManager().root().child("a").open()) {
            assertArrayEquals("text".getBytes(UTF_8), in.readAllBytes());
        }
        WorkflowJob fetching = folder.createProject(WorkflowJob.class, "fetching");
        fetching.setDefinition(new CpsFlowDefinition(
                "node('" + agent.getNodeName() + "') { fetchArtifacts projectName: '/folder/inner/job',"
                        + " selector: specific('1'); echo readFile('a') }",
                true));
        assertTrue(r.buildAndAssertSuccess(fetching).getLog().contains("text"));
        folder.delete();
        TestStore.cleanLater();
        await().untilAsserted(() -> assertEquals(Set.of(), store.keys()));
    }
}
