package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.ExtensionList;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import jenkins.model.Jenkins;
import org.htmlunit.html.HtmlForm;
import org.htmlunit.html.HtmlPage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.TestExtension;
import org.kohsuke.stapler.DataBoundConstructor;

class MonitorTest extends JenkinsTestBase {
    private final CompressionAwareArtifactManagerFactory ours = new CompressionAwareArtifactManagerFactory();
    private final ObjectStore store = new ObjectStore();

    @BeforeEach
    void secure() {
        permit(Map.of(
                "admin", List.of(Jenkins.ADMINISTER),
                "manager", List.of(Jenkins.READ, Jenkins.MANAGE, Jenkins.SYSTEM_READ),
                "anybody", List.of(Jenkins.READ)));
    }

    @Test
    void addButtonAddsManager() throws Exception {
        try (JenkinsRule.WebClient client = login("admin")) {
            HtmlPage page = client.goTo("manage");
            assertTrue(page.asNormalizedText().contains("is installed but not active"));
            assertFalse(page.asNormalizedText().contains("It is added after"));

            HtmlPage after = press(page, offer(), "add");

            assertTrue(after.getUrl().getPath().endsWith("/manage/artifact-transfers/"), "the page with the transfers");
            assertEquals(List.of(CompressionAwareArtifactManagerFactory.class), configured());
            assertNull(form(client.goTo("manage"), offer()), "the monitor is no longer active");
        }
        Path saved = r.jenkins.getRootDir().toPath().resolve(ArtifactManagerConfiguration.class.getName() + ".xml");
        assertTrue(Files.readString(saved).contains(CompressionAwareArtifactManagerFactory.class.getName()));
    }

    @Test
    void managerIsAddedAfterOtherManagers() throws Exception {
        configure(store);
        try (JenkinsRule.WebClient client = login("admin")) {
            HtmlPage page = client.goTo("manage");
            assertTrue(page.asNormalizedText().contains("It is added after Test store"));
            press(page, offer(), "add");
        }
        assertEquals(List.of(ObjectStore.class, CompressionAwareArtifactManagerFactory.class), configured());
        assertFalse(hiding().isActivated());
    }

    @Test
    void secondClickOnOldPageAddsNothing() throws Exception {
        try (JenkinsRule.WebClient client = login("admin")) {
            HtmlPage old = client.goTo("manage");
            configure(ours);
            press(old, offer(), "add");
        }
        assertEquals(List.of(CompressionAwareArtifactManagerFactory.class), configured());
    }

    @Test
    void moveButtonMovesManagerToTheEnd() throws Exception {
        configure(store, ours, store);
        try (JenkinsRule.WebClient client = login("admin")) {
            HtmlPage page = client.goTo("manage");
            assertTrue(page.asNormalizedText().contains("comes before Test store"));
            assertNull(form(page, offer()));

            press(page, hiding(), "move");

            assertNull(form(client.goTo("manage"), hiding()));
        }
        assertEquals(
                List.of(ObjectStore.class, ObjectStore.class, CompressionAwareArtifactManagerFactory.class),
                configured());
    }

    @Test
    void managerWithExclusionsHidesNoManager() throws Exception {
        ours.setExcludedJobs("cloud/**");
        configure(ours, store);
        assertFalse(hiding().isActivated());
    }

    @Test
    void monitorsCanBeDismissed() throws Exception {
        try (JenkinsRule.WebClient client = login("admin")) {
            press(client.goTo("manage"), offer(), "dismiss");
            assertNull(form(client.goTo("manage"), offer()));
            assertEquals(List.of(), configured());

            configure(ours, store);
            press(client.goTo("manage"), hiding(), "dismiss");
            assertNull(form(client.goTo("manage"), hiding()));
            assertEquals(List.of(CompressionAwareArtifactManagerFactory.class, ObjectStore.class), configured());
        }
    }

    @Test
    void buttonsRequireAdministratorAndPost() throws Exception {
        for (ArtifactManagerMonitor monitor : List.of(offer(), hiding())) {
            String act = monitor.getUrl() + "/act";
            assertEquals(404, get(login("admin"), act));
            assertEquals(403, post(login("manager"), act));
            assertEquals(403, post(login("anybody"), act));
        }
        assertEquals(List.of(), configured());
        assertTrue(offer().isEnabled());
        try (JenkinsRule.WebClient client = login("manager")) {
            assertNull(form(client.goTo("manage"), offer()), "the monitor is hidden without permission");
        }
    }

    private HtmlPage press(HtmlPage page, ArtifactManagerMonitor monitor, String button) throws Exception {
        return r.submit(form(page, monitor), button);
    }

    private static HtmlForm form(HtmlPage page, ArtifactManagerMonitor monitor) {
        return page.getForms().stream()
                .filter(form -> form.getNameAttribute().equals(monitor.id))
                .findFirst()
                .orElse(null);
    }

    private static NotConfiguredMonitor offer() {
        return ExtensionList.lookupSingleton(NotConfiguredMonitor.class);
    }

    private static ShadowedManagersMonitor hiding() {
        return ExtensionList.lookupSingleton(ShadowedManagersMonitor.class);
    }

    private static void configure(ArtifactManagerFactory... factories) throws Exception {
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().replaceBy(List.of(factories));
    }

    private static List<?> configured() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .map(Object::getClass)
                .toList();
    }

    /** Imitates the manager of an object store such as S3. */
    public static final class ObjectStore extends ArtifactManagerFactory {
        @DataBoundConstructor
        public ObjectStore() {}

        @Override
        public ArtifactManager managerFor(Run<?, ?> build) {
            return null;
        }

        @TestExtension
        public static final class DescriptorImpl extends ArtifactManagerFactoryDescriptor {
            @NonNull
            @Override
            public String getDisplayName() {
                return "Test store";
            }
        }
    }
}
