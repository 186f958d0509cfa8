package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Job;
import hudson.model.Label;
import hudson.model.Run;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jenkins.model.ParameterizedJobMixIn;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs the files of {@code demos/}. */
class DemosTest extends JenkinsTestBase {
    private static final Path DEMOS = Path.of("demos");
    private static final String STEP = ": set by withArtifactTransfer";

    @BeforeEach
    void configure() throws Exception {
        ConfigurationAsCode.get().configure(DEMOS.resolve("jenkins.yaml").toString());
        r.createOnlineSlave(Label.get("build"));
    }

    @Test
    void yamlConfiguresSettings() {
        GlobalSettings policy = GlobalSettings.get();
        assertEquals("auto", policy.settings().codec());
        assertEquals(3, policy.settings().maxLevel());
        assertEquals(new Exclusions("legacy", "attic/**"), policy.exclusions());
    }

    @Test
    void scriptedPipelineRuns() throws Exception {
        WorkflowJob job = demo("Jenkinsfile.scripted");
        assertEquals(List.of("zstd: set by the job"), Archiving.of(r.buildAndAssertSuccess(job)));
        r.assertLogContains("zstd 6", job.getLastBuild());
    }

    @Test
    void declarativePipelineRuns() throws Exception {
        WorkflowJob job = demo("Jenkinsfile.declarative");
        assertEquals(List.of("lz4" + STEP, "zstd: set by the job"), Archiving.of(r.buildAndAssertSuccess(job)));
    }

    @Test
    void parallelPipelineRuns() throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(demo("Jenkinsfile.parallel"));
        r.assertLogContains("zstd 1 (set by withArtifactTransfer)", build);
        List<String> archived = Archiving.of(build);
        assertEquals(4, archived.size());
        assertTrue(archived.containsAll(List.of("lz4" + STEP, "zstd" + STEP)), archived.toString());
        assertEquals(
                1, archived.stream().filter(by -> !by.contains(":")).count(), "the last call uses the system setting");
    }

    @Test
    void fanoutPipelineRuns() throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(demo("Jenkinsfile.fanout"));
        assertEquals(10, build.getArtifacts().size());
        r.assertLogContains("Stash app: 1 file,", build);
    }

    @Test
    void fetchPipelineRuns() throws Exception {
        WorkflowRun build = r.buildAndAssertSuccess(demo("Jenkinsfile.fetch"));
        r.assertLogContains(": 2 files, 7.00 kB in ", build);
        r.assertLogContains("tested 7000 bytes", build);
    }

    private WorkflowJob demo(String file) throws Exception {
        return pipeline(Files.readString(DEMOS.resolve(file)));
    }

    @Test
    void jobDslCreatesJobs() throws Exception {
        EcosystemTest.runDsl(r, Files.readString(DEMOS.resolve("jobs.groovy")));

        assertEquals(List.of("zstd: set by the folder remote"), Archiving.of(build("remote/manual")));
        assertEquals(List.of("lz4: set by the job"), Archiving.of(build("report")));
    }

    private <J extends Job<J, ?> & ParameterizedJobMixIn.ParameterizedJob<J, ?>> Run<?, ?> build(String job)
            throws Exception {
        return r.assertBuildStatusSuccess(
                (Run<?, ?>) ParameterizedJobMixIn.scheduleBuild2(r.jenkins.getItemByFullName(job, Job.class), 0)
                        .getFuture()
                        .get());
    }

    @Test
    void readmeLinksEveryDemo() throws Exception {
        String readme = Files.readString(DEMOS.resolve("README.md"));
        try (Stream<Path> files = Files.list(DEMOS)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                String link = Files.isDirectory(file) ? name + "/README.md" : name;
                assertTrue(name.equals("README.md") || readme.contains("(" + link + ")"), name);
            }
        }
    }
}
