package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.testing.jenkins.Browser;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.darktheme.DarkThemeManagerFactory;
import io.jenkins.plugins.thememanager.ThemeManagerPageDecorator;
import java.io.OutputStream;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jvnet.hudson.test.JenkinsRule;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The administrator's page in a real browser, under an enforced Content Security Policy. */
@ExtendWith(Browser.Languages.class)
class TransferOverviewBrowserTest extends JenkinsTestBase {
    private static final String OPEN_ALL =
            "document.querySelectorAll('#artifact-transfers details').forEach(more => more.open = true)";

    /** Bytes that each build archives. */
    private static final int FILE = 40_000_000;

    private static void build(JenkinsRule r, String name, Slave agent, int times) throws Exception {
        FreeStyleProject job = r.jenkins.getItemByFullName(name, FreeStyleProject.class);
        if (job == null) {
            job = r.createFreeStyleProject(name);
            job.setAssignedNode(agent);
            job.getPublishersList().add(new ArtifactArchiver("**"));
        }
        byte[] bytes = new byte[FILE];
        for (int i = 0; i < times; i++) {
            Random random = new Random(0);
            for (int at = 0; at < bytes.length; at++) {
                if (at == FILE / 4 * 3) {
                    // the last quarter is new
                    random = new Random(job.getNextBuildNumber());
                }
                // gzip saves a third, as with many real artifacts
                bytes[at] = (byte) ('a' + random.nextInt(26));
            }
            try (OutputStream file = agent.getWorkspaceFor(job).child("file").write()) {
                file.write(bytes);
            }
            r.buildAndAssertSuccess(job);
        }
    }

    @Test
    void pageWorksInBothThemesNarrowAndGerman() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        build(r, "application", agent, 4);
        build(r, "documentation", agent, 2);
        RunningTransfer running = RunningTransfer.start(
                new TransferInfo(
                        TransferInfo.Operation.STASH, "application", 5, agent.getNodeName(), "classes", 0, null),
                System.out);
        running.addChannelBytes(30_000_000);

        String page = r.getURL() + "manage/artifact-transfers/";
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "application #5");
            browser.script(OPEN_ALL);
            for (WebElement table : browser.all("#artifact-transfers table")) {
                assertFalse(table.getAccessibleName().isBlank(), table.getText());
            }
            browser.screenshot(browser.one("#main-panel"), "overview-light");
            browser.assertNoComplaints();
        }
        ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "application #5");
            browser.script(OPEN_ALL);
            browser.screenshot(browser.one("#main-panel"), "overview-dark");
            running.addChannelBytes(970_000_000);
            browser.withText("#artifact-transfers-now", "1.00 GB");
            browser.resize(500, 1900);
            assertEquals(
                    true,
                    browser.script("return document.documentElement.scrollWidth <= window.innerWidth"),
                    "a narrow window scrolls sideways");
            browser.assertNoComplaints();
        }
        try (Browser browser = new Browser("de")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "Laufende Übertragungen");
            browser.script(OPEN_ALL);
            browser.withText("#artifact-transfers", "Alle Agenten, die aktiv waren");
            browser.assertNoComplaints();
        }
        running.failed(new InterruptedException());
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.tabTo(browser.withText("a", "Reset statistics"));
            browser.press(Keys.ENTER);
            browser.withText("dialog[open]", "Builds keep their own figures");
            browser.press(Keys.ESCAPE);
            browser.awaitGone("dialog[open]");
            assertEquals(7, TransferRegistry.get().totals().lastWeek(System.currentTimeMillis()).transfers);
            browser.tabTo(browser.withText("a", "Reset statistics"));
            browser.press(Keys.ENTER);
            browser.tabTo(browser.withText("dialog[open] button", "Yes"));
            browser.press(Keys.ENTER);
            browser.await(
                    "empty totals",
                    () -> TransferRegistry.get().totals().lastWeek(System.currentTimeMillis()).transfers == 0
                            ? Optional.of(true)
                            : Optional.empty());
            browser.assertNoComplaints();
        }
    }
}
