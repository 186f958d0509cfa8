package io.jenkins.plugins.compressionaware.overview;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Browser;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import io.jenkins.plugins.darktheme.DarkThemeManagerFactory;
import io.jenkins.plugins.thememanager.ThemeManagerPageDecorator;
import java.io.OutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jvnet.hudson.test.JenkinsRule;
import org.openqa.selenium.WebElement;

/** The administrator's page in a real browser, under an enforced Content Security Policy. */
@ExtendWith(Browser.Languages.class)
class OverviewBrowserTest extends OnJenkins {
    private static final String OPEN_ALL =
            "document.querySelectorAll('#artifact-transfers details').forEach(more => more.open = true)";

    /** Bytes of what each build archives. */
    private static final int FILE = 40_000_000;

    private static void build(JenkinsRule r, String name, Slave agent, int times) throws Exception {
        FreeStyleProject job = r.jenkins.getItemByFullName(name, FreeStyleProject.class);
        if (job == null) {
            job = r.createFreeStyleProject(name);
            job.setAssignedNode(agent);
            job.getPublishersList().add(new ArtifactArchiver("**"));
        }
        byte[] bytes = new byte[FILE];
        Random random = new Random(1);
        for (int i = 0; i < bytes.length; i++) {
            // gzip saves a third of it, as of much that is archived
            bytes[i] = (byte) ('a' + random.nextInt(26));
        }
        try (OutputStream file = agent.getWorkspaceFor(job).child("file").write()) {
            file.write(bytes);
        }
        for (int i = 0; i < times; i++) {
            r.buildAndAssertSuccess(job);
        }
    }

    @Test
    void lightDarkNarrowAndGerman() throws Exception {
        factory.setCodec("gzip");
        factory.setDirectLane("off");
        usePlugin();
        Slave agent = Agents.TCP.start(agents, r);
        build(r, "application", agent, 1);
        factory.setCodec("auto");
        build(r, "application", agent, 3);
        build(r, "documentation", agent, 2);
        RunningTransfer running = RunningTransfer.start(
                new Transfer(Transfer.Kind.STASH, "application", 5, agent.getNodeName(), "classes", 0, null),
                System.out);
        running.arrived(30_000_000);

        String page = r.getURL() + "manage/artifact-transfers/";
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "application #5");
            browser.script(OPEN_ALL);
            for (WebElement table : browser.all("#artifact-transfers table")) {
                assertFalse(table.getAccessibleName().isBlank(), table.getText());
            }
            browser.screenshot(browser.one("#main-panel"), "overview-light");
            running.arrived(970_000_000);
            browser.withText("#artifact-transfers-now", "1.00 GB");
            browser.resize(500, 1900);
            assertEquals(
                    true,
                    browser.script("return document.documentElement.scrollWidth <= window.innerWidth"),
                    "a narrow window scrolls sideways");
            browser.assertNoComplaints();
        }
        ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "application #5");
            browser.screenshot(browser.one("#main-panel"), "overview-dark");
        }
        try (Browser browser = new Browser("de")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "Jetzt unterwegs");
            browser.script(OPEN_ALL);
            browser.withText("#artifact-transfers", "in den Einstellungen abgeschaltet");
            browser.assertNoComplaints();
        }
        running.failed(new InterruptedException());
    }
}
