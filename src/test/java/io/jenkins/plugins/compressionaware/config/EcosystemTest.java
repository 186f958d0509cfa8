package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.model.Result;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.casc.ConfiguratorException;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javaposse.jobdsl.plugin.ExecuteDslScripts;
import jenkins.model.ArtifactManagerConfiguration;
import net.sf.json.JSONObject;
import org.jenkinsci.plugins.pipeline.modeldefinition.generator.OptionsDirective;
import org.jenkinsci.plugins.structs.describable.DescribableModel;
import org.jenkinsci.plugins.workflow.cps.SnippetizerTester;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** The settings in other plugins: Configuration as Code, Job DSL, Snippet Generator, and the REST API. Runs the samples in the documentation. */
class EcosystemTest extends JenkinsTestBase {
    @Test
    void yamlSettingsSurviveFormAndExport(@TempDir Path folder) throws Exception {
        String settings = """
                artifactManagerFactories:
                - compressionAware:
                    accelerateCopyArtifacts: true
                    checksum: "xxhash64"
                    codec: "zstd"
                    deduplicate: "reflinks"
                    directHttp: "required"
                    excludedJobs: "legacy/**"
                    excludedLabels: "old || older"
                    level: 5
                    lockOverrides: true
                    maxLevel: 7
                    maxStreams: 4
                    minLevel: 2
                    reconnectSeconds: 10
                    reuse: "off"
                    storage: "packed"
                    threads: 3
            """;
        apply(folder, "unclassified:\n  artifactManager:\n" + settings);

        assertEquals(
                new TransferSettings(
                        "zstd",
                        5,
                        2,
                        7,
                        Checksum.XXHASH64,
                        3,
                        4,
                        DirectLane.REQUIRED,
                        false,
                        TransferSettings.Storage.PACKED,
                        10),
                GlobalSettings.get().settings());
        assertTrue(GlobalSettings.get().isLockOverrides());
        assertTrue(GlobalSettings.get().isAccelerateCopyArtifacts());
        assertEquals(
                new Exclusions("old || older", "legacy/**"),
                GlobalSettings.get().exclusions());
        r.configRoundtrip(); // the form has only some of the settings
        var out = new ByteArrayOutputStream();
        ConfigurationAsCode.get().export(out);
        String exported = out.toString(StandardCharsets.UTF_8);
        assertTrue(exported.contains(settings), exported);
    }

    @Test
    void shortestYamlConfiguresDefaults(@TempDir Path folder) throws Exception {
        apply(folder, """
            unclassified:
              artifactManager:
                artifactManagerFactories:
                  - "compressionAware"
            """);
        assertEquals(
                1,
                ArtifactManagerConfiguration.get().getArtifactManagerFactories().size());
        TransferSettings defaults = new TransferSettings(
                "auto",
                0,
                0,
                9,
                Checksum.CRC32C,
                SendOptions.BY_PROCESSORS,
                8,
                DirectLane.AUTO,
                true,
                TransferSettings.Storage.FILES,
                60);
        assertEquals(defaults, GlobalSettings.get().settings());
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
        assertFalse(
                GlobalSettings.get().settings().reuse(),
                "for builds that continue after a restart without the manager");
    }

    @Test
    void formerNamesInYamlAreRead(@TempDir Path folder) throws Exception {
        apply(folder, """
            unclassified:
              artifactManager:
                artifactManagerFactories:
                  - compressionAware:
                      delta: "off"
                      directLane: "required"
                      maxLanes: 3
            """);
        TransferSettings settings = GlobalSettings.get().settings();
        assertEquals(DirectLane.REQUIRED, settings.directLane());
        assertEquals(3, settings.streams());
        assertFalse(settings.reuse());
    }

    @Test
    void wrongNumberInYamlNamesItsKey(@TempDir Path folder) {
        Throwable failure = assertThrows(ConfiguratorException.class, () -> apply(folder, """
            unclassified:
              artifactManager:
                artifactManagerFactories:
                  - compressionAware:
                      threads: 0
            """));
        assertTrue(
                Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                        .anyMatch(
                                cause -> String.valueOf(cause.getMessage()).contains("threads: Enter a whole number")),
                failure.toString());
    }

    @Test
    void wrongPatternInYamlFails(@TempDir Path folder) {
        Throwable failure = assertThrows(ConfiguratorException.class, () -> apply(folder, """
            unclassified:
              artifactManager:
                artifactManagerFactories:
                  - compressionAware:
                      excludedJobs: "/release/**"
            """));
        StringBuilder messages = new StringBuilder();
        for (; failure != null; failure = failure.getCause()) {
            messages.append(failure.getMessage()).append('\n');
        }
        assertTrue(messages.toString().contains("excludedJobs: "), messages.toString());
    }

    @Test
    void unknownCodecInYamlFailsWithValidValues(@TempDir Path folder) throws Exception {
        Throwable failure = assertThrows(ConfiguratorException.class, () -> apply(folder, """
            unclassified:
              artifactManager:
                artifactManagerFactories:
                  - compressionAware:
                      codec: zip
            """));
        StringBuilder messages = new StringBuilder();
        for (; failure != null; failure = failure.getCause()) {
            messages.append(failure.getMessage()).append('\n');
        }
        assertTrue(messages.toString().contains("Valid values: auto, none, gzip, lz4, zstd."), messages.toString());
    }

    private static void apply(Path folder, String yaml) throws Exception {
        Path file = folder.resolve("jenkins.yaml");
        Files.writeString(file, yaml);
        ConfigurationAsCode.get().configure(file.toString());
    }

    static void runDsl(JenkinsRule r, String script) throws Exception {
        FreeStyleProject seed = r.createFreeStyleProject();
        ExecuteDslScripts scripts = new ExecuteDslScripts();
        scripts.setScriptText(script);
        seed.getBuildersList().add(scripts);
        r.buildAndAssertSuccess(seed);
    }

    @Test
    void jobDslSetsJobsAndFolders() throws Exception {
        runDsl(r, """
            folder('folder') {
                properties { artifactTransfer { codec('zstd'); level(2); delta('off'); store('team-a') } }
            }
            pipelineJob('pipeline') {
                properties { artifactTransfer { codec('none') } }
            }
            freeStyleJob('freestyle') {
                properties { artifactTransfer { codec('gzip'); level(9); delta('off') } }
            }
            """);

        WorkflowJob pipeline = r.jenkins.getItemByFullName("pipeline", WorkflowJob.class);
        assertEquals(
                "none", pipeline.getProperty(ArtifactTransferProperty.class).getCodec());
        assertNull(pipeline.getProperty(ArtifactTransferProperty.class).getLevel());
        FreeStyleProject freestyle = r.jenkins.getItemByFullName("freestyle", FreeStyleProject.class);
        assertEquals(9, freestyle.getProperty(ArtifactTransferProperty.class).getLevel());
        assertEquals(
                "off", freestyle.getProperty(ArtifactTransferProperty.class).getReuse(), "the former name");
        FolderArtifactTransferProperty folder = r.jenkins
                .getItemByFullName("folder", Folder.class)
                .getProperties()
                .get(FolderArtifactTransferProperty.class);
        assertEquals("zstd 2", folder.getCodec() + ' ' + folder.getLevel());
        assertEquals("off", folder.getReuse(), "the former name");
        assertEquals("team-a", folder.getStore());
    }

    @Test
    void formerNameInJenkinsfileIsRead() throws Exception {
        Map<String, Object> arguments = Map.of("delta", "off");
        assertEquals(
                "off",
                new DescribableModel<>(WithArtifactTransferStep.class)
                        .instantiate(arguments, null)
                        .getReuse());
    }

    @Test
    void snippetGeneratorOutputRuns() throws Exception {
        SnippetizerTester snippets = new SnippetizerTester(r);
        WithArtifactTransferStep step = new WithArtifactTransferStep();
        step.setCodec("gzip");
        String plain = "withArtifactTransfer(codec: 'gzip') {\n    // some block\n}";
        snippets.assertRoundTrip(step, plain);
        step.setCodec("zstd");
        step.setLevel(7);
        String withLevel = "withArtifactTransfer(codec: 'zstd', level: 7) {\n    // some block\n}";
        snippets.assertRoundTrip(step, withLevel);

        WorkflowJob job = pipeline(plain + "\n" + withLevel);
        r.buildAndAssertSuccess(job);
    }

    @Test
    void snippetGeneratorFormCreatesSnippet() throws Exception {
        SnippetizerTester snippets = new SnippetizerTester(r);
        snippets.assertGenerateSnippet(
                "{'stapler-class':'" + WithArtifactTransferStep.class.getName() + "', 'codec':'zstd', 'level':'7'}",
                "withArtifactTransfer(codec: 'zstd', level: 7) {\n    // some block\n}",
                null);
        snippets.assertGenerateSnippet(
                "{'stapler-class':'" + WithArtifactTransferStep.class.getName()
                        + "', 'codec':'', 'level':'', 'reuse':'off'}",
                "withArtifactTransfer(reuse: 'off') {\n    // some block\n}",
                null);
    }

    @Test
    void directiveGeneratorOutputRuns() throws Exception {
        ArtifactTransferProperty property = jobChoice("zstd");
        property.setLevel(7);
        String options = new OptionsDirective(List.of(property)).toGroovy(true);
        assertTrue(options.contains("artifactTransfer codec: 'zstd', level: 7"), options);
        WorkflowJob job = pipeline(
                "pipeline {\n agent none\n " + options + "\n stages { stage('s') { steps { echo 'done' } } } }");

        r.buildAndAssertSuccess(job);

        assertEquals("zstd", job.getProperty(ArtifactTransferProperty.class).getCodec());
        assertEquals(7, job.getProperty(ArtifactTransferProperty.class).getLevel());
    }

    @Test
    void unknownCodecInOptionsFailsWithValidValues() throws Exception {
        for (String script : List.of(
                "pipeline { agent none; options { artifactTransfer(codec: 'zip') }\n"
                        + "stages { stage('s') { steps { echo 'not reached' } } } }",
                "properties([artifactTransfer(codec: 'zip')])\n echo 'not reached'")) {
            WorkflowJob job = pipeline(script);
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            r.assertLogContains("Valid values: auto, none, gzip, lz4, zstd.", build);
            r.assertLogNotContains("not reached", build);
        }
    }

    @Test
    void restApiExportsJobSettings() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject("job");
        ArtifactTransferProperty property = jobChoice("zstd");
        property.setLevel(7);
        job.addProperty(property);
        JSONObject shown = r.getJSON("job/job/api/json?tree=property[*]")
                .getJSONObject()
                .getJSONArray("property")
                .getJSONObject(0);
        assertEquals(ArtifactTransferProperty.class.getName(), shown.getString("_class"));
        assertEquals("zstd", shown.getString("codec"));
        assertEquals(7, shown.getInt("level"));
        assertFalse(shown.has("choice"));
    }

    @Test
    void groovySamplesRun() throws Exception {
        usePlugin();
        r.createOnlineSlave(Label.get("build"));
        List<Page.Sample> samples = Page.samples("groovy");
        assertFalse(samples.isEmpty());
        for (Page.Sample sample : samples) {
            try {
                runSample(sample.code());
            } catch (Throwable e) {
                throw new AssertionError(sample + ": correct the page, " + e.getMessage(), e);
            }
        }
    }

    private void runSample(String script) throws Exception {
        if (script.startsWith("// Job DSL")) {
            runDsl(r, script);
        } else {
            r.assertLogContains("Artifacts: ", r.buildAndAssertSuccess(pipeline(script)));
        }
    }

    @Test
    void yamlSamplesConfigure(@TempDir Path folder) throws Exception {
        List<Page.Sample> samples = Page.samples("yaml").stream()
                .filter(sample -> sample.code().startsWith("unclassified:"))
                .toList();
        assertTrue(samples.size() > 1, samples.toString());
        for (Page.Sample sample : samples) {
            apply(folder, sample.code());
            assertTrue(GlobalSettings.get() != null, sample.toString());
        }
    }
}
