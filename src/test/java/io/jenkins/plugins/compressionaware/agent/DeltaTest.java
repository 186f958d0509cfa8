package io.jenkins.plugins.compressionaware.agent;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.config.ArtifactTransferProperty;
import io.jenkins.plugins.compressionaware.delta.Facts;
import io.jenkins.plugins.compressionaware.delta.Index;
import io.jenkins.plugins.compressionaware.direct.AgentKind;
import io.jenkins.plugins.compressionaware.report.BuildTransfers;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import jenkins.model.ArtifactManagerConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** What the last build has is taken from there: the archive is as it would be without. */
@WithJenkins
class DeltaTest {
    /** Of a link of 10 Mbit/s. */
    private static final Facts SLOW = new Facts(1, 6_000_000, 1, 800, -1, 0);

    @RegisterExtension
    private final InboundAgentExtension agents = new InboundAgentExtension();

    private final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
    private JenkinsRule r;
    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void configure(JenkinsRule rule) {
        r = rule;
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
    }

    private void firstBuild(Agents kind) throws Exception {
        agent = kind.start(agents, r);
        job = r.createFreeStyleProject();
        job.setAssignedNode(agent);
        job.getPublishersList().add(new ArtifactArchiver("**"));
        write("large", noise(1, 5_000_000));
        write("folder/same", noise(2, 300_000));
        write("small", "text".getBytes());
        // else it might get an index by itself, later than the one that is written here
        String delta = factory.getDelta();
        factory.setDelta("off");
        FreeStyleBuild first = build();
        factory.setDelta(delta);
        assertEquals(0, result(first).earlierBuild);
        Index.of(archive(first), SLOW).write(index(first));
    }

    private static byte[] noise(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void write(String name, byte[] content) throws Exception {
        agent.getWorkspaceFor(job).child(name).write().close();
        try (var out = agent.getWorkspaceFor(job).child(name).write()) {
            out.write(content);
        }
    }

    private FreeStyleBuild build() throws Exception {
        // what was measured here says that it is fast
        AgentKind.of(agent.getWorkspaceFor(job), job.getFullName()).sawUplink(800);
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        Path workspace = Path.of(agent.getWorkspaceFor(job).getRemote());
        Map<String, String> expected = Trees.describe(workspace);
        assertEquals(expected, Trees.describe(archive(build)));
        return build;
    }

    @SuppressWarnings("deprecation")
    private static Path archive(FreeStyleBuild build) {
        return build.getArtifactsDir().toPath();
    }

    private static Path index(FreeStyleBuild build) {
        return archive(build).resolveSibling(Index.FILE);
    }

    private static TransferResult result(FreeStyleBuild build) {
        return build.getAction(BuildTransfers.class).getTransfers().get(0);
    }

    @ParameterizedTest
    @EnumSource(Agents.class)
    void onlyWhatHasChangedTravels(Agents kind) throws Exception {
        firstBuild(kind);
        byte[] changed = noise(1, 5_000_000);
        changed[2_000_000]++;
        write("large", changed);
        write("new", noise(3, 10_000));

        FreeStyleBuild second = build();

        assertEquals(1, result(second).earlierBuild);
        assertTrue(result(second).earlierBytes > 5_200_000, result(second).earlierBytes + " bytes");
        assertTrue(result(second).wireBytes < 150_000, result(second).wireBytes + " bytes");
        r.assertLogContains("MB were in build 1, ", second);
        await("its own index").until(() -> Files.exists(index(second)));

        FreeStyleBuild third = build();

        assertEquals(2, result(third).earlierBuild);
        assertTrue(result(third).earlierBytes > 5_300_000, result(third).earlierBytes + " bytes");
    }

    @Test
    void whatIsNotThereAnyMoreComesAsAWhole() throws Exception {
        firstBuild(Agents.TCP);
        FreeStyleBuild first = job.getBuildByNumber(1);
        Files.write(archive(first).resolve("large"), noise(4, 5_000_000));
        Files.delete(archive(first).resolve("folder/same"));

        FreeStyleBuild second = build();

        r.assertLogContains("2 files are sent as a whole", second);
        assertEquals(0, result(second).earlierBytes);
        assertEquals(3, result(second).files);
        assertTrue(result(second).wireBytes > 5_300_000);
    }

    @Test
    void aBuildThatIsDeletedIsNotUsed() throws Exception {
        firstBuild(Agents.TCP);
        job.getBuildByNumber(1).delete();
        assertEquals(0, result(build()).earlierBuild);
    }

    @Test
    void aDamagedIndexIsNotUsed() throws Exception {
        firstBuild(Agents.TCP);
        Path index = index(job.getBuildByNumber(1));
        byte[] bytes = Files.readAllBytes(index);
        bytes[bytes.length / 2]++;
        Files.write(index, bytes);
        assertEquals(0, result(build()).earlierBuild);
    }

    @Test
    void aJobMayDoWithout() throws Exception {
        firstBuild(Agents.TCP);
        ArtifactTransferProperty property = new ArtifactTransferProperty("auto");
        property.setDelta("off");
        job.addProperty(property);
        assertEquals(0, result(build()).earlierBuild);
        factory.setDelta("off");
        property.setDelta("auto");
        assertEquals(1, result(build()).earlierBuild);
        property.setDelta(null);
        assertEquals(0, result(build()).earlierBuild);
    }

    @Test
    void onAFastLinkThereIsNoIndex() throws Exception {
        firstBuild(Agents.TCP);
        Files.delete(index(job.getBuildByNumber(1)));
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        FreeStyleBuild third = r.buildAndAssertSuccess(job);
        assertEquals(0, result(third).earlierBuild);
        assertFalse(Files.exists(index(second)));
    }

    /** Also on a fast link, where everything is sent. */
    @Test
    void unchangedFilesBecomeOneFileOnRequest() throws Exception {
        factory.setSharing("hardlinks");
        factory.setDelta("off");
        firstBuild(Agents.TCP);
        FreeStyleBuild first = job.getBuildByNumber(1);
        write("folder/same", noise(5, 300_000));
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        await("a link")
                .until(() -> Files.isSameFile(
                        archive(first).resolve("large"), archive(second).resolve("large")));
        assertFalse(Files.isSameFile(
                archive(first).resolve("folder/same"), archive(second).resolve("folder/same")));
        assertEquals(0, result(second).earlierBytes);
        first.delete();
        assertEquals(5_000_000, Files.size(archive(second).resolve("large")));
        await("the totals")
                .until(() -> r.createWebClient()
                        .goTo("manage/artifact-transfers/api/json?depth=2", "application/json")
                        .getWebResponse()
                        .getContentAsString()
                        .contains("\"sharedBytes\":5000000"));
    }

    /** A script may change what it finds in them. */
    @Test
    void buildsOfExceptedJobsShareNothing() throws Exception {
        factory.setSharing("hardlinks");
        firstBuild(Agents.TCP);
        factory.setExceptJobs("**");
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        factory.setExceptJobs("");
        FreeStyleBuild third = r.buildAndAssertSuccess(job);
        await("a link of the build that came after")
                .until(() -> Files.isSameFile(
                        archive(second).resolve("large"), archive(third).resolve("large")));
        assertFalse(Files.isSameFile(
                archive(job.getBuildByNumber(1)).resolve("large"),
                archive(second).resolve("large")));
    }

    @Test
    void anotherJobsBuildIsNeverOffered() throws Exception {
        firstBuild(Agents.TCP);
        FreeStyleProject other = r.createFreeStyleProject();
        other.setAssignedNode(agent);
        other.getPublishersList().add(new ArtifactArchiver("**"));
        agent.getWorkspaceFor(job).copyRecursiveTo(agent.getWorkspaceFor(other));
        r.buildAndAssertSuccess(other);
        assertEquals(0, result(r.buildAndAssertSuccess(other)).earlierBuild);
    }
}
