package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.hudson.plugins.folder.Folder;
import hudson.model.Items;
import hudson.model.Label;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.util.FormValidation;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.ByteArrayOutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import org.htmlunit.HttpMethod;
import org.htmlunit.WebRequest;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of a store. */
class StoreSettingsTest extends JenkinsTestBase {
    private static final String FIELDS = "bucket,prefix,region,endpoint,pathStyle,credentialsId,storageClass,md5";

    private static CompressionAwareArtifactManagerFactory current() {
        return (CompressionAwareArtifactManagerFactory)
                ArtifactManagerConfiguration.get().getArtifactManagerFactories().get(0);
    }

    private static S3Store saved() {
        return current().getStore();
    }

    private static void setStore(S3Store store) {
        current().setStore(store);
    }

    @Test
    void yamlIsAppliedAndExported(@TempDir Path folder) throws Exception {
        String settings = """
                  artifactManagerFactories:
                  - compressionAware:
                      store:
                        bucket: "builds"
                        credentialsId: "s3"
                        endpoint: "https://store.example:9000"
                        md5: true
                        pathStyle: true
                        prefix: "jenkins/one"
                        region: "eu-central-1"
                        storageClass: "STANDARD_IA"
                      stores:
                      - bucket: "team-builds"
                        name: "team-a"
                        region: "eu-west-1"
                      - bucket: "builds"
                        name: "team-b"
            """;
        Path file = folder.resolve("jenkins.yaml");
        Files.writeString(file, "unclassified:\n  artifactManager:\n" + settings);
        ConfigurationAsCode.get().configure(file.toString());
        assertTrue(saved().keyPrefix().matches("jenkins/one/[0-9a-f]{8}/"), saved().keyPrefix());
        var out = new ByteArrayOutputStream();
        ConfigurationAsCode.get().export(out);
        String exported = out.toString(StandardCharsets.UTF_8);
        for (String line : settings.lines().skip(2).toList()) {
            assertTrue(exported.contains(line.strip()), exported);
        }
        assertEquals(2, current().getStores().size());
        assertEquals("eu-west-1", current().getStores().get(0).getRegion());
    }

    @Test
    void formKeepsTheSettings() throws Exception {
        usePlugin();
        r.configRoundtrip();
        assertNull(saved());
        S3Store store = new S3Store("builds");
        store.setRegion("eu-central-1");
        setStore(store);
        r.configRoundtrip();
        r.assertEqualBeans(store, saved(), FIELDS);
        store.setPrefix("a/b");
        store.setEndpoint("http://store:9000");
        store.setPathStyle(true);
        store.setStorageClass("GLACIER_IR");
        store.setMd5(true);
        TestStore.assumeStore();
        TestStore.start();
        store.setCredentialsId("s3");
        setStore(store);
        r.configRoundtrip();
        r.assertEqualBeans(store, saved(), FIELDS);
    }

    private static FormValidation verify(S3Store store) {
        S3Store.DescriptorImpl form = (S3Store.DescriptorImpl) Jenkins.get().getDescriptorOrDie(S3Store.class);
        return form.doVerify(
                store.getBucket(),
                store.getPrefix(),
                store.getRegion(),
                store.getEndpoint(),
                store.isPathStyle(),
                store.getCredentialsId(),
                store.getStorageClass(),
                store.isMd5());
    }

    @Test
    void testButtonTriesTheBucket() throws Exception {
        TestStore store = TestStore.start();
        FormValidation works = verify(store.setting());
        assertEquals(FormValidation.Kind.OK, works.kind, works.getMessage());
        S3Store md5 = store.setting();
        md5.setMd5(true);
        assertEquals(FormValidation.Kind.OK, verify(md5).kind);
        assertEquals(0, store.keys().size() + store.unfinished());
        S3Store wrong = store.setting();
        wrong.setCredentialsId("wrong");
        FormValidation refused = verify(wrong);
        assertEquals(FormValidation.Kind.ERROR, refused.kind);
        assertTrue(
                refused.getMessage().contains("/tests/jenkins/")
                        && refused.getMessage().contains("do not allow this request"),
                refused.getMessage());
        assertFalse(refused.getMessage().contains("\n"), refused.getMessage());
        wrong.setCredentialsId(null);
        wrong.setEndpoint("http://127.0.0.1:9");
        assertEquals(FormValidation.Kind.ERROR, verify(wrong).kind);
    }

    /** The store of the system cannot be reached. */
    @Test
    void folderKeepsArtifactsAndStashesOnTheController() throws Exception {
        usePlugin();
        S3Store unreachable = new S3Store("builds");
        unreachable.setRegion("eu-central-1");
        unreachable.setEndpoint("http://127.0.0.1:9");
        unreachable.setCredentialsId("none");
        setStore(unreachable);
        Slave agent = r.createOnlineSlave(Label.get("remote"));
        Folder outer = r.createProject(Folder.class);
        outer.addProperty(folderStore("controller"));
        WorkflowJob job = outer.createProject(WorkflowJob.class, "kept");
        job.setDefinition(new CpsFlowDefinition(
                "node('" + agent.getNodeName() + "') { writeFile file: 'a', text: 'kept'; archiveArtifacts 'a';"
                        + " stash 's'; unstash 's' }",
                true));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertTrue(build.getArtifactManager().root().child("a").isFile());
        Folder inner = outer.createProject(Folder.class, "inner");
        inner.addProperty(folderStore("system"));
        WorkflowJob moved = Items.move(job, inner);
        r.buildAndAssertStatus(Result.FAILURE, moved);
        current().setLockOverrides(true);
        inner.getProperties().remove(FolderArtifactTransferProperty.class);
        r.buildAndAssertStatus(Result.FAILURE, moved);
        current().setLockOverrides(false);
        r.buildAndAssertSuccess(moved);
    }

    private static FolderArtifactTransferProperty folderStore(String store) {
        FolderArtifactTransferProperty choice = new FolderArtifactTransferProperty();
        choice.setStore(store);
        return choice;
    }

    @Test
    void onlyAdministratorsUseTheForm() throws Exception {
        permit(Map.of("user", List.of(Jenkins.READ), "root", List.of(Jenkins.ADMINISTER)));
        String form = "descriptorByName/" + S3Store.class.getName() + '/';
        assertEquals(403, post(login("user"), form + "verify?bucket=builds"));
        assertEquals(404, get(login("root"), form + "verify?bucket=builds"));
        try (var client = login("user")) {
            URL url = new URL(client.getContextPath() + form + "fillCredentialsIdItems?credentialsId=missing");
            String items = client.getPage(client.addCrumb(new WebRequest(url, HttpMethod.POST)))
                    .getWebResponse()
                    .getContentAsString();
            assertFalse(items.contains("s3"), items);
            assertTrue(items.contains("missing"), "saving the form must not change the credentials: " + items);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "bucket, Builds",
        "bucket, ab",
        "prefix, a//b",
        "prefix, ../a",
        "prefix, a/..",
        "prefix, /a",
        "prefix, a/",
        "region, eu central",
        "endpoint, ftp://store",
        "endpoint, store:9000",
        "endpoint, http://",
        "storageClass, a b"
    })
    void invalidValuesAreRefused(String field, String value) {
        S3Store store = new S3Store("any");
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> {
            switch (field) {
                case "bucket" -> new S3Store(value);
                case "prefix" -> store.setPrefix(value);
                case "region" -> store.setRegion(value);
                case "endpoint" -> store.setEndpoint(value);
                default -> store.setStorageClass(value);
            }
        });
        assertTrue(refused.getMessage().contains(field), refused.getMessage());
    }

    @Test
    void formChecksFieldsAtOnce() {
        S3Store.DescriptorImpl form = (S3Store.DescriptorImpl) Jenkins.get().getDescriptorOrDie(S3Store.class);
        assertEquals(FormValidation.Kind.ERROR, form.doCheckBucket("Builds").kind);
        assertEquals(FormValidation.Kind.ERROR, form.doCheckPrefix("a/").kind);
        assertEquals(FormValidation.Kind.ERROR, form.doCheckEndpoint("store:9000").kind);
        assertEquals(FormValidation.Kind.WARNING, form.doCheckEndpoint("http://store:9000").kind);
        assertEquals(FormValidation.Kind.OK, form.doCheckEndpoint("https://store:9000").kind);
        assertEquals(FormValidation.Kind.OK, form.doCheckEndpoint("").kind);
    }

    @Test
    void testButtonReportsInvalidValues() {
        S3Store.DescriptorImpl form = (S3Store.DescriptorImpl) Jenkins.get().getDescriptorOrDie(S3Store.class);
        for (String invalid : List.of("Builds,,", "builds,a/,", "builds,,store:9000")) {
            String[] value = invalid.split(",", -1);
            FormValidation refused = form.doVerify(value[0], value[1], "", value[2], true, "", "", false);
            assertEquals(FormValidation.Kind.ERROR, refused.kind, invalid);
            assertTrue(refused.getMessage().contains("is not valid"), refused.getMessage());
        }
    }
}
