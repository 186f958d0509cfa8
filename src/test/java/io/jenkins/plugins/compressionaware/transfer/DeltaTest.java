package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.reference.ChunkIndexer;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Archives that reuse content of the last build are identical to archives sent in full. */
class DeltaTest extends JenkinsTestBase {
    /** Figures of an archive over a link of 10 Mbit/s. */
    private static final ArchiveStats SLOW = new ArchiveStats(1, 6_000_000, 1, 800, -1, 0);

    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void configure() {
        usePlugin();
    }

    private void firstBuild(InboundTransport transport) throws Exception {
        agent = transport.start(agents, r);
        job = archiving(agent);
        write("large", History.noise(1, 5_000_000));
        write("folder/same", History.noise(2, 300_000));
        write("small", "text".getBytes());
        FreeStyleBuild first = withoutIndex(this::build);
        assertEquals(0, result(first).referenceBuild);
        ChunkIndex.of(archiveOf(first), SLOW).write(index(first));
    }

    /** Builds without an index, because the indexer could otherwise write its own after the test has written one. */
    private FreeStyleBuild withoutIndex(Callable<FreeStyleBuild> build) throws Exception {
        String reuse = factory.getReuse();
        Map<Path, byte[]> earlier = new HashMap<>();
        for (FreeStyleBuild each : job.getBuilds()) {
            if (Files.exists(index(each))) {
                earlier.put(index(each), Files.readAllBytes(index(each)));
            }
        }
        factory.setReuse("off");
        FreeStyleBuild built = build.call();
        for (Map.Entry<Path, byte[]> index : earlier.entrySet()) {
            await("the deletion of earlier indexes").until(() -> Files.notExists(index.getKey()));
            Files.write(index.getKey(), index.getValue());
        }
        factory.setReuse(reuse);
        return built;
    }

    private void write(String name, byte[] content) throws Exception {
        agent.getWorkspaceFor(job).child(name).write().close();
        try (var out = agent.getWorkspaceFor(job).child(name).write()) {
            out.write(content);
        }
    }

    private FreeStyleBuild build() throws Exception {
        // the link measured here is fast
        AgentProfile.of(agent.getWorkspaceFor(job), job.getFullName()).put(AgentProfile.Property.UPLINK, 800);
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        Path workspace = workspaceOf(agent, job);
        Map<String, String> expected = FileTrees.describe(workspace);
        assertEquals(expected, FileTrees.describe(archiveOf(build)));
        return build;
    }

    private static Path index(FreeStyleBuild build) {
        return archiveOf(build).resolveSibling(ChunkIndex.FILE);
    }

    private static TransferResult result(FreeStyleBuild build) {
        return build.getAction(BuildTransfersAction.class).getTransfers().get(0);
    }

    /** More builds than {@link ReferenceBuild#MAX_BUILDS_SCANNED} run since the last one with an index. */
    @Test
    void indexIsFoundHoweverManyBuildsStillRun() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild last = null;
        for (int i = 0; i <= ReferenceBuild.MAX_BUILDS_SCANNED; i++) {
            last = job.getLazyBuildMixIn().newBuild();
        }
        assertTrue(last.isBuilding());

        assertEquals(1, ReferenceBuild.findIndexedBuild(last));
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void onlyChangedContentIsSent(InboundTransport transport) throws Exception {
        firstBuild(transport);
        byte[] changed = History.noise(1, 5_000_000);
        changed[2_000_000]++;
        write("large", changed);
        write("new", History.noise(3, 10_000));

        FreeStyleBuild second = build();

        assertEquals(1, result(second).referenceBuild);
        assertTrue(result(second).reusedBytes > 5_200_000, result(second).reusedBytes + " bytes");
        assertTrue(result(second).wireBytes < 150_000, result(second).wireBytes + " bytes");
        r.assertLogContains("MB reused from build 1; ", second);
        await("its own index").until(() -> Files.exists(index(second)));

        FreeStyleBuild third = build();

        assertEquals(2, result(third).referenceBuild);
        await("the deletion of an unused index").until(() -> Files.notExists(index(job.getBuildByNumber(1))));
        assertTrue(Files.exists(index(second)), "a running build may still read it");
        assertTrue(result(third).reusedBytes > 5_300_000, result(third).reusedBytes + " bytes");
    }

    /** Jenkins' home may be in deletion, or in use by another controller. */
    @Test
    void indexerStopsWithJenkins() throws Exception {
        firstBuild(InboundTransport.TCP);
        ChunkIndexer.stop();
        FreeStyleBuild second = build();
        assertEquals(1, result(second).referenceBuild);
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("artifact transfer: index")));
        assertFalse(Files.exists(index(second)));
    }

    /** Only this build's own agents decide whether the next build attempts a delta. */
    @Test
    void fastTransferOfOtherJobDoesNotStopDeltas() throws Exception {
        firstBuild(InboundTransport.TCP);
        TransferListener other = new TransferListener() {
            @Override
            public void completed(TransferInfo transfer, TransferResult result) {
                AgentProfile.of(agent.getWorkspaceFor(job), "another job").put(AgentProfile.Property.UPLINK, 1);
            }
        };
        ExtensionList.lookup(TransferListener.class).add(other);
        FreeStyleBuild second = build();
        ExtensionList.lookup(TransferListener.class).remove(other);
        assertEquals(1, result(second).referenceBuild);
        await("its own index").until(() -> Files.exists(index(second)));
        assertEquals(2, result(build()).referenceBuild);
    }

    @Test
    void changedOrMissingReferenceFilesAreSentInFull() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild first = job.getBuildByNumber(1);
        Files.write(archiveOf(first).resolve("large"), History.noise(4, 5_000_000));
        Files.delete(archiveOf(first).resolve("folder/same"));

        FreeStyleBuild second = build();

        r.assertLogContains("Sent 2 files in full, since build ", second);
        assertEquals(0, result(second).reusedBytes);
        assertEquals(3, result(second).files);
        assertTrue(result(second).wireBytes > 5_300_000);
    }

    @Test
    void deletedBuildIsNotUsed() throws Exception {
        firstBuild(InboundTransport.TCP);
        job.getBuildByNumber(1).delete();
        assertEquals(0, result(build()).referenceBuild);
    }

    /** Its index would hide the previous one for as long as the build exists. */
    @Test
    void buildWithDeletedArtifactsIsNotUsed() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild second = build();
        await("its own index").until(() -> Files.exists(index(second)));
        second.deleteArtifacts();
        assertEquals(1, result(build()).referenceBuild);
        await("the deletion of its index").until(() -> Files.notExists(index(second)));
    }

    /** Modules of a Maven build do this. */
    @Test
    void buildThatArchivesAfterItsEndGetsIndex() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild late = withoutIndex(this::build);
        assertFalse(Files.exists(index(late)));
        // the build measured a fast link
        AgentProfile.of(agent.getWorkspaceFor(job), job.getFullName()).put(AgentProfile.Property.UPLINK, 800);
        ChunkIndexer.scheduleAfter(late, agent.getWorkspaceFor(job));
        await("its index").until(() -> Files.exists(index(late)));
    }

    @Test
    void stepWithOtherFilesUsesNoReferenceBuild() throws Exception {
        firstBuild(InboundTransport.TCP);
        agent.getWorkspaceFor(job).deleteContents();
        write("test.log", History.noise(1, 5_000_000));
        assertEquals(0, result(build()).referenceBuild);
    }

    @Test
    void offOfAnyLevelWins() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild first = job.getBuildByNumber(1);
        byte[] index = Files.readAllBytes(index(first));
        ArtifactTransferProperty property = jobChoice("auto");
        property.setReuse("off");
        job.addProperty(property);
        assertEquals(0, result(build()).referenceBuild);
        await("the deletion of the index").until(() -> Files.notExists(index(first)));
        Files.write(index(first), index);
        factory.setReuse("off");
        property.setReuse("auto");
        assertEquals(0, result(build()).referenceBuild);
    }

    @Test
    void quickTransferGetsNoIndex() throws Exception {
        firstBuild(InboundTransport.TCP);
        // not enough data for a delta to pay off, even on a busy machine
        write("large", History.noise(1, 50_000));
        write("folder/same", History.noise(2, 30_000));
        Files.delete(index(job.getBuildByNumber(1)));
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        FreeStyleBuild third = r.buildAndAssertSuccess(job);
        assertEquals(0, result(third).referenceBuild);
        assertFalse(Files.exists(index(second)));
    }

    /** Deduplication also applies if no delta is used. */
    @Test
    void unchangedFilesAreDeduplicatedOnRequest() throws Exception {
        factory.setDeduplicate("hardlinks");
        factory.setReuse("off");
        firstBuild(InboundTransport.TCP);
        FreeStyleBuild first = job.getBuildByNumber(1);
        write("folder/same", History.noise(5, 300_000));
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        await("a link")
                .until(() -> Files.isSameFile(
                        archiveOf(first).resolve("large"), archiveOf(second).resolve("large")));
        assertFalse(Files.isSameFile(
                archiveOf(first).resolve("folder/same"), archiveOf(second).resolve("folder/same")));
        assertEquals(0, result(second).reusedBytes);
        first.delete();
        assertEquals(5_000_000, Files.size(archiveOf(second).resolve("large")));
        await("the totals")
                .until(() -> r.createWebClient()
                        .goTo("manage/artifact-transfers/api/json?depth=2", "application/json")
                        .getWebResponse()
                        .getContentAsString()
                        .contains("\"deduplicatedBytes\":5000000"));
    }

    /** A script may modify the files of excluded jobs. */
    @Test
    void buildsOfExcludedJobsAreNotDeduplicated() throws Exception {
        factory.setDeduplicate("hardlinks");
        firstBuild(InboundTransport.TCP);
        factory.setExcludedJobs("**");
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        factory.setExcludedJobs("");
        FreeStyleBuild third = r.buildAndAssertSuccess(job);
        await("a link of the later build")
                .until(() -> Files.isSameFile(
                        archiveOf(second).resolve("large"), archiveOf(third).resolve("large")));
        assertFalse(Files.isSameFile(
                archiveOf(job.getBuildByNumber(1)).resolve("large"),
                archiveOf(second).resolve("large")));
    }

    @Test
    void buildOfOtherJobIsNeverUsed() throws Exception {
        firstBuild(InboundTransport.TCP);
        FreeStyleProject other = archiving(agent);
        agent.getWorkspaceFor(job).copyRecursiveTo(agent.getWorkspaceFor(other));
        String reuse = factory.getReuse();
        factory.setReuse("off");
        r.buildAndAssertSuccess(other);
        factory.setReuse(reuse);
        assertEquals(0, result(r.buildAndAssertSuccess(other)).referenceBuild);
    }
}
