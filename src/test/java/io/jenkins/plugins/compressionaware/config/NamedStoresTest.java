package io.jenkins.plugins.compressionaware.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.Label;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.util.FormValidation;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.StringReader;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import org.htmlunit.FailingHttpStatusCodeException;
import org.htmlunit.html.HtmlElement;
import org.htmlunit.html.HtmlForm;
import org.htmlunit.html.HtmlInput;
import org.htmlunit.html.HtmlOption;
import org.htmlunit.html.HtmlPage;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.JenkinsRule.WebClient;

/** Stores that the administrator defines, and folders choose by their names. */
class NamedStoresTest extends JenkinsTestBase {
    private static final String FIELDS = "name,bucket,prefix,region,endpoint,pathStyle,credentialsId,storageClass,md5";

    private static S3Store named(String name) {
        S3Store store = new S3Store("builds-of-" + name);
        store.setName(name);
        return store;
    }

    private static CompressionAwareArtifactManagerFactory saved() {
        return (CompressionAwareArtifactManagerFactory)
                ArtifactManagerConfiguration.get().getArtifactManagerFactories().get(0);
    }

    @Test
    void namesAreChecked() {
        for (String invalid : List.of("", " ", "Team", "a b", "a/b", "-a", "a\nb", "ä")) {
            assertRefused("name: ", () -> new S3Store("any").setName(invalid));
        }
        // a folder could not choose it
        for (String reserved : EnumSetting.STORE.values) {
            assertRefused("name: “" + reserved + "” is not valid.", () -> new S3Store("any").setName(reserved));
            assertEquals(FormValidation.Kind.ERROR, form().doCheckName(reserved).kind);
        }
        assertEquals(FormValidation.Kind.OK, form().doCheckName("systems").kind);
        assertRefused("name: ", () -> factory.setStores(List.of(new S3Store("any"))));
        assertRefused(
                "Two stores have the name “team-a”.",
                () -> factory.setStores(List.of(named("team-a"), named("b"), named("team-a"))));
        assertEquals(List.of(), factory.getStores());
    }

    private static S3Store.DescriptorImpl form() {
        return (S3Store.DescriptorImpl) Jenkins.get().getDescriptorOrDie(S3Store.class);
    }

    private static void assertRefused(String message, Runnable setting) {
        String refused =
                assertThrows(IllegalArgumentException.class, setting::run).getMessage();
        assertTrue(refused.startsWith(message), refused);
    }

    @Test
    void formKeepsStores() throws Exception {
        S3Store first = named("first");
        first.setPrefix("a/b");
        first.setEndpoint("http://store:9000");
        first.setPathStyle(true);
        S3Store second = named("second");
        second.setStorageClass("GLACIER_IR");
        second.setMd5(true);
        factory.setStores(List.of(first, second));
        usePlugin();
        r.configRoundtrip();
        assertNull(saved().getStore());
        assertEquals(2, saved().getStores().size());
        r.assertEqualBeans(first, saved().getStores().get(0), FIELDS);
        r.assertEqualBeans(second, saved().getStores().get(1), FIELDS);
        saved().setStore(new S3Store("builds"));
        r.configRoundtrip();
        assertEquals("builds", saved().getStore().getBucket());
        assertNull(saved().getStore().getName());
        assertEquals(2, saved().getStores().size());
    }

    @Test
    void formAddsAndDeletesStores() throws Exception {
        factory.setStores(List.of(named("first")));
        usePlugin();
        try (WebClient client = r.createWebClient()) {
            HtmlPage page = client.goTo("configure");
            page.<HtmlElement>getFirstByXPath("//button[contains(., 'Add a store')]")
                    .click();
            List<HtmlElement> entries = page.getByXPath("//div[@name='stores']");
            assertEquals(2, entries.size());
            type(entries.get(1), "name", "second");
            type(entries.get(1), "bucket", "builds-of-second");
            entries.get(0)
                    .<HtmlElement>getFirstByXPath(".//button[contains(@class, 'repeatable-delete')]")
                    .click();
            r.submit(page.getFormByName("config"));
        }
        assertEquals(1, saved().getStores().size());
        r.assertEqualBeans(named("second"), saved().getStores().get(0), FIELDS);
    }

    private static void type(HtmlElement entry, String field, String value) {
        HtmlInput input = entry.getFirstByXPath(".//input[@name='_." + field + "']");
        input.setValue(value);
    }

    @Test
    void testButtonTriesTheStoreOfItsEntry() throws Exception {
        S3Store reachable = TestStore.start().setting();
        reachable.setName("second");
        S3Store unreachable = named("first");
        unreachable.setRegion("eu-central-1");
        unreachable.setEndpoint("http://127.0.0.1:9");
        S3Store third = named("third");
        factory.setStores(List.of(unreachable, reachable, third));
        usePlugin();
        try (WebClient client = r.createWebClient()) {
            client.getOptions().setCssEnabled(false); // each look at the text would compute the style of each element
            HtmlPage page = client.goTo("configure");
            HtmlElement entry =
                    page.<HtmlElement>getByXPath("//div[@name='stores']").get(1);
            entry.<HtmlElement>getFirstByXPath(".//button[contains(@class, 'validate-button')]")
                    .click();
            await().atMost(60, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertTrue(
                            entry.getTextContent().contains("The bucket " + reachable.getBucket() + " works"),
                            entry.getTextContent()));
        }
    }

    @Test
    void formRefusesTheSameNameTwice() throws Exception {
        factory.setStores(List.of(named("first"), named("second")));
        usePlugin();
        try (WebClient client = r.createWebClient()) {
            HtmlForm form = client.goTo("configure").getFormByName("config");
            List<HtmlInput> names = form.getInputsByName("_.name").stream()
                    .filter(input -> input.getValue().equals("second"))
                    .toList();
            assertEquals(1, names.size());
            names.get(0).setValue("first");
            var refused = assertThrows(FailingHttpStatusCodeException.class, () -> r.submit(form));
            String answer = refused.getResponse().getContentAsString();
            assertTrue(answer.contains("Two stores have the name “first”."), answer);
        }
        assertEquals("second", saved().getStores().get(1).getName());
    }

    @Test
    void folderChoosesAmongThem() throws Exception {
        factory.setStores(List.of(named("team-a"), named("team-b")));
        usePlugin();
        Folder folder = folder("Team-B ");
        assertEquals(List.of("", "system", "controller", "team-a", "team-b"), offered(folder, "team-b"));
        r.configRoundtrip(folder);
        assertEquals("team-b", choiceOf(folder));
        factory.setStores(List.of(named("team-a")));
        assertEquals(List.of("", "system", "controller", "team-a", "team-b"), offered(folder, "team-b"));
        r.configRoundtrip(folder);
        assertEquals("team-b", choiceOf(folder), "saving the form must not change the store");
        Folder other = folder("");
        assertEquals(List.of("", "system", "controller", "team-a"), offered(other, ""));
        r.configRoundtrip(other);
        assertNull(choiceOf(other));
    }

    /** Who may configure a job may send any configuration to {@code config.xml}. */
    @Test
    void jobChoosesNoStore() throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.addProperty(jobChoice("gzip"));
        String saved = job.getConfigFile().asString();
        String forged = saved.replace("<codec>gzip</codec>", "<codec>gzip</codec><store>team-a</store>");
        assertNotEquals(saved, forged);
        job.updateByXml((Source) new StreamSource(new StringReader(forged)));
        ArtifactTransferProperty choice = job.getProperty(ArtifactTransferProperty.class);
        assertEquals("gzip", choice.getCodec());
        assertNull(choice.choice.store);
    }

    private Folder folder(String store) throws Exception {
        FolderArtifactTransferProperty choice = new FolderArtifactTransferProperty();
        choice.setStore(store);
        Folder folder = r.createProject(Folder.class);
        folder.addProperty(choice);
        return folder;
    }

    private static String choiceOf(Folder folder) {
        return folder.getProperties().get(FolderArtifactTransferProperty.class).getStore();
    }

    private List<String> offered(Folder folder, String selected) throws Exception {
        try (WebClient client = r.createWebClient()) {
            var select =
                    client.getPage(folder, "configure").getFormByName("config").getSelectByName("_.store");
            assertEquals(selected, select.getSelectedOptions().get(0).getValueAttribute());
            return select.getOptions().stream()
                    .map(HtmlOption::getValueAttribute)
                    .toList();
        }
    }

    private WorkflowJob jobIn(Folder folder, Slave agent, String step) throws Exception {
        WorkflowJob job = folder.createProject(
                WorkflowJob.class, "job" + folder.getItems().size());
        job.setDefinition(new CpsFlowDefinition(
                "node('" + agent.getNodeName() + "') { writeFile file: 'a', text: 'text'; " + step + " }", true));
        return job;
    }

    /** The disk of the controller may be too small for what belongs in a store. */
    @ParameterizedTest
    @ValueSource(strings = {"archiveArtifacts 'a'", "stash 's'"})
    void missingStoreFailsTheStep(String step) throws Exception {
        factory.setReuse("off");
        usePlugin();
        Slave agent = r.createOnlineSlave(Label.get("remote"));
        Folder outer = folder("team-a");
        Folder inner = outer.createProject(Folder.class, "inner");
        WorkflowJob job = jobIn(inner, agent, step);
        WorkflowRun failed = r.buildAndAssertStatus(Result.FAILURE, job);
        String log = JenkinsRule.getLog(failed);
        assertTrue(
                log.lines()
                        .anyMatch(line -> line.contains("The folder " + outer.getFullName()
                                        + " chooses the store “team-a”, which is not defined in the system settings.")
                                && line.contains("troubleshooting.md#the-folder-chooses-the-store")),
                log);
        assertFalse(log.contains("\tat "), log);
        String files = FileTrees.list(failed.getRootDir().toPath()).toString();
        assertFalse(files.contains("archive") || files.contains("stashes"), files);
        factory.setLockOverrides(true);
        r.buildAndAssertSuccess(job);
        factory.setLockOverrides(false);
        factory.setStores(List.of(named("team-b")));
        r.buildAndAssertStatus(Result.FAILURE, job);
        inner.addProperty(folder("controller").getProperties().get(FolderArtifactTransferProperty.class));
        r.buildAndAssertSuccess(job);
    }

    /** Nothing is stored for an agent. */
    @Test
    void stashOnTheControllerNeedsNoStore() throws Exception {
        usePlugin();
        WorkflowJob job = folder("team-a").createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition(
                "node('built-in') { writeFile file: 'a', text: 'text'; stash 's'; unstash 's'; archiveArtifacts 'a' }",
                true));
        r.buildAndAssertSuccess(job);
    }
}
