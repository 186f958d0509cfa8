package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Label;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javaposse.jobdsl.plugin.ExecuteDslScripts;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs the samples in the documentation: Pipelines, Job DSL and YAML. */
class DocumentedSettingsTest extends JenkinsTestBase {
    @Test
    void groovySamplesRun() throws Exception {
        usePlugin();
        r.createOnlineSlave(Label.get("build"));
        List<Page.Sample> samples = Page.samples("groovy");
        assertFalse(samples.isEmpty());
        for (Page.Sample sample : samples) {
            try {
                run(r, sample.code());
            } catch (Throwable e) {
                throw new AssertionError(sample + ": correct the page, " + e.getMessage(), e);
            }
        }
    }

    private static void run(JenkinsRule r, String script) throws Exception {
        if (script.startsWith("// Job DSL")) {
            FreeStyleProject seed = r.createFreeStyleProject();
            ExecuteDslScripts dsl = new ExecuteDslScripts();
            dsl.setScriptText(script);
            seed.getBuildersList().add(dsl);
            r.buildAndAssertSuccess(seed);
        } else {
            WorkflowJob job = r.createProject(WorkflowJob.class);
            job.setDefinition(new CpsFlowDefinition(script, true));
            r.assertLogContains("Artifacts: ", r.buildAndAssertSuccess(job));
        }
    }

    @Test
    void yamlSamplesConfigure(@TempDir Path folder) throws Exception {
        List<Page.Sample> samples = Page.samples("yaml").stream()
                .filter(sample -> sample.code().startsWith("unclassified:"))
                .toList();
        assertTrue(samples.size() > 2, samples.toString());
        for (Page.Sample sample : samples) {
            Path file = Files.writeString(folder.resolve("jenkins.yaml"), sample.code());
            ConfigurationAsCode.get().configure(file.toString());
            assertTrue(GlobalSettings.get() != null, sample.toString());
        }
    }
}
