package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.Descriptor;
import hudson.model.FreeStyleProject;
import hudson.plugins.copyartifact.CopyArtifact;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.beans.Introspector;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jenkins.model.Jenkins;
import org.htmlunit.html.HtmlElement;
import org.htmlunit.html.HtmlForm;
import org.htmlunit.html.HtmlPage;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule.WebClient;
import org.kohsuke.stapler.ClassDescriptor;
import org.kohsuke.stapler.DataBoundSetter;

/** The forms of jobs and folders. */
class FormsTest extends JenkinsTestBase {
    private static final Set<String> ONLY_YAML = Set.of("delta", "directLane", "maxLanes", "maxStreams", "threads");

    @ParameterizedTest
    @CsvSource({"zstd, 7, , packed", "none, , auto, ", ", 7, off, files"})
    void fieldsSurviveFormRoundTrip(String codec, Integer level, String reuse, String storage) throws Exception {
        Folder folder = r.createProject(Folder.class);
        FolderArtifactTransferProperty ofFolder = folderChoice(codec);
        ofFolder.setLevel(level);
        ofFolder.setReuse(reuse);
        ofFolder.setStorage(storage);
        ofFolder.setStore(storage == null ? null : "controller");
        folder.addProperty(ofFolder);
        ArtifactTransferProperty ofJob = jobChoice(codec);
        ofJob.setLevel(level);
        ofJob.setReuse(reuse);
        ofJob.setStorage(storage);
        FreeStyleProject freestyle = r.createFreeStyleProject();
        freestyle.addProperty(ofJob);
        WorkflowJob pipeline = r.createProject(WorkflowJob.class);
        pipeline.addProperty(ofJob);

        r.configRoundtrip(folder);
        r.configRoundtrip(freestyle);
        r.configRoundtrip(pipeline);

        String fields = "codec,level,reuse,storage";
        FolderArtifactTransferProperty savedFolder = folder.getProperties().get(FolderArtifactTransferProperty.class);
        r.assertEqualBeans(ofFolder, savedFolder, fields + ",store");
        r.assertEqualBeans(ofJob, freestyle.getProperty(ArtifactTransferProperty.class), fields);
        r.assertEqualBeans(ofJob, pipeline.getProperty(ArtifactTransferProperty.class), fields);
    }

    @Test
    void fieldsHaveHelp() throws Exception {
        // TranslationTest checks the German help
        List<Descriptor<?>> ours = new ArrayList<>();
        for (Descriptor<?> descriptor : r.jenkins.getExtensionList(Descriptor.class)) {
            boolean ofTests = descriptor.clazz.getEnclosingClass() != null
                    || descriptor.clazz.getName().contains(".testing.");
            // fields and help belong to the Copy Artifact plugin
            boolean copies = CopyArtifact.class.isAssignableFrom(descriptor.clazz);
            if (descriptor.clazz.getName().startsWith("io.jenkins.plugins.compressionaware.") && !ofTests && !copies) {
                ours.add(descriptor);
            }
        }
        assertEquals(5, ours.size(), "the manager, its store, and the settings of a folder, a job and a step: " + ours);
        try (WebClient client = r.createWebClient()) {
            for (String help : r.executeOnServer(() -> helpOf(ours))) {
                String text = client.goTo(help.substring(1), "text/html")
                        .getWebResponse()
                        .getContentAsString();
                assertTrue(text.contains("<div>"), help);
            }
        }
    }

    private static List<String> helpOf(List<Descriptor<?>> ours) {
        List<String> help = new ArrayList<>();
        for (Descriptor<?> descriptor : ours) {
            if (descriptor.clazz != S3Store.class) { // described by the help of the manager's field
                assertNotNull(descriptor.getHelpFile(), descriptor.clazz.getName());
                help.add(descriptor.getHelpFile());
            }
            for (String field : fieldsOf(descriptor.clazz)) {
                if (ONLY_YAML.contains(field)) {
                    continue;
                }
                assertNotNull(descriptor.getHelpFile(field), descriptor.clazz.getName() + ": " + field);
                help.add(descriptor.getHelpFile(field));
            }
        }
        return help;
    }

    private static List<String> fieldsOf(Class<?> type) {
        List<String> fields = new ArrayList<>(List.of(new ClassDescriptor(type).loadConstructorParamNames()));
        for (Method method : type.getMethods()) {
            if (method.isAnnotationPresent(DataBoundSetter.class)) {
                fields.add(Introspector.decapitalize(method.getName().substring("set".length())));
            }
        }
        assertTrue(fields.containsAll(List.of("codec", "level")) || fields.contains("bucket"), fields.toString());
        return fields;
    }

    @Test
    void unsetSettingsStayUnset() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        r.configRoundtrip(job);
        assertNull(job.getProperty(ArtifactTransferProperty.class));

        Folder folder = r.createProject(Folder.class);
        r.configRoundtrip(folder);
        assertNull(folder.getProperties().get(FolderArtifactTransferProperty.class));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void formWarnsWhenOverridesAreLocked(boolean locked) throws Exception {
        factory.setLockOverrides(locked);
        usePlugin();
        FreeStyleProject job = r.createFreeStyleProject();

        FormValidation shown = form().doCheckCodec(job);
        assertEquals(locked ? FormValidation.Kind.WARNING : FormValidation.Kind.OK, shown.kind);
        assertEquals(locked, String.valueOf(shown.getMessage()).contains("locked"));
        assertEquals(FormValidation.Kind.OK, form().doCheckCodec(null).kind, "the administrator's own form");
    }

    @Test
    void levelIsValidatedForCodec() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        assertEquals(FormValidation.Kind.ERROR, form().doCheckLevel(job, "10", "gzip").kind);
        assertEquals(FormValidation.Kind.OK, form().doCheckLevel(job, "10", "zstd").kind);
    }

    @Test
    void jobPageShowsAndValidatesSettings() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.addProperty(jobChoice("none"));
        try (WebClient client = r.createWebClient()) {
            HtmlPage page = client.getPage(job, "configure");
            HtmlForm form = page.getFormByName("config");
            assertEquals(
                    "none",
                    form.getSelectByName("_.codec").getSelectedOptions().get(0).getValueAttribute());
            for (HtmlElement select : form.getElementsByAttribute("select", "name", "_.codec")) {
                assertTrue(select.getAttribute("checkUrl").endsWith("/checkCodec"), select.asXml());
            }
        }
    }

    private static OverrideFormValidation form() {
        return (OverrideFormValidation) Jenkins.get().getDescriptorOrDie(ArtifactTransferProperty.class);
    }
}
