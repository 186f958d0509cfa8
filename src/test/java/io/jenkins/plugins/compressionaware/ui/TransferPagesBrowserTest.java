package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
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
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jvnet.hudson.test.JenkinsRule;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The pages of builds, jobs and administrators in a real browser, under an enforced Content Security Policy. */
@ExtendWith(Browser.Languages.class)
class TransferPagesBrowserTest extends JenkinsTestBase {
    private static final int BUILDS = 30;

    /** Bytes that each build archives. */
    private static final int FILE = 40_000_000;

    /** Width of a window in pixels. */
    private static final int NARROW = 420;

    private static final String SCRIPT = """
            import java.nio.charset.StandardCharsets
            node('remote') {
                int n = currentBuild.number
                writeFile file: 'app.log', text: ('line of a log ' + n + ' with some words\\n') * (200000 + 10000 * n)
                byte[] noise = new byte[(1 + n % 5) << 20]
                new Random(n).nextBytes(noise)
                writeFile file: 'library.jar', text: noise.encodeBase64().toString(), encoding: 'Base64'
                if (n % 7 != 5) { stash name: 'classes', includes: 'app.log' }
                if (n % 7 == 3) { dir('elsewhere') { unstash 'classes' } }
                archiveArtifacts '**'
                if (n % 7 == 4) { currentBuild.rawBuild.doStop(); sleep 60 }
                if (n % 7 == 2) {
                    archive(currentBuild.rawBuild, getContext(hudson.FilePath), getContext(hudson.Launcher),
                        getContext(hudson.model.TaskListener))
                }
            }
            @NonCPS
            def archive(build, workspace, launcher, listener) {
                build.pickArtifactManager().archive(workspace, launcher,
                    new hudson.model.StreamBuildListener(listener.logger, StandardCharsets.UTF_8), [gone: 'gone'])
            }
            """;

    /** Thirty real builds of archives, stashes and failures. */
    @Test
    void pagesWorkInBrowser() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        agent.setLabelString("remote");
        WorkflowJob job = r.createProject(WorkflowJob.class, "app");
        job.setDefinition(new CpsFlowDefinition(SCRIPT, false));
        for (int i = 1; i <= BUILDS; i++) {
            WorkflowRun build = job.scheduleBuild2(0).get();
            Result expected = i % 7 == 2 ? Result.FAILURE : i % 7 == 4 ? Result.ABORTED : Result.SUCCESS;
            r.assertBuildStatus(expected, build);
        }
        String jobPage = r.getURL() + job.getUrl() + "artifact-transfers/";
        String buildPage = r.getURL() + job.getUrl() + BUILDS + "/artifact-transfers/";

        try (Browser browser = new Browser("en")) {
            browser.open(r.getURL() + job.getUrl());
            browser.tabTo(browser.withText("#side-panel a, #tasks a", "Artifact transfers"));
            browser.press(Keys.ENTER);
            assertTrend(browser);
            WebElement build = browser.withText("table.artifact-transfers tbody a", "#" + BUILDS);
            browser.tabTo(build);
            browser.press(Keys.ENTER);
            openFirstRow(browser);
            browser.resize(1350, 1000);
            assertEquals(
                    true,
                    browser.script("const all = document.querySelector('.artifact-transfers-scroll');"
                            + " return all.scrollWidth <= all.clientWidth"),
                    "columns are hidden behind a scroll bar");
            assertEquals(
                    3,
                    browser.all("table.artifact-transfers tbody td[role='rowheader']")
                            .size());
            browser.withText("table.artifact-transfers", "Stash classes");
            browser.withText("table.artifact-transfers .artifact-transfers-failure", "failed");
            browser.resize(NARROW, 1000);
            assertNoSidewaysScrolling(browser);
            browser.resize(NARROW, 1000);
            browser.open(jobPage);
            assertTrend(browser);
            assertNoSidewaysScrolling(browser);
            walkOverview(browser, r.getURL() + "manage/artifact-transfers/");
            // a click on the chart opens a build
            browser.resize(1300, 1000);
            browser.open(jobPage);
            assertTrend(browser);
            browser.click(browser.one("#artifact-transfers-trend"));
            browser.one("table.artifact-transfers .artifact-transfers-open");
            browser.assertNoComplaints();
        }
        ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
        try (Browser browser = new Browser("en")) {
            browser.open(jobPage);
            assertTrend(browser);
            browser.open(buildPage);
            openFirstRow(browser);
            browser.assertNoComplaints();
        }
        try (Browser browser = new Browser("de")) {
            browser.open(buildPage);
            browser.withText("table.artifact-transfers", "Tempo");
            browser.withText("table.artifact-transfers .artifact-transfers-failure", "fehlgeschlagen");
            browser.open(jobPage);
            browser.withText("table.artifact-transfers", "Gesendet");
            browser.assertNoComplaints();
        }
    }

    private static void openFirstRow(Browser browser) {
        browser.tabTo(browser.one("table.artifact-transfers .artifact-transfers-open"));
        browser.press(Keys.SPACE);
        browser.withText("table.artifact-transfers .artifact-transfers-stages", "reading");
    }

    /** Visits the administrator's page in reading order. */
    private static void walkOverview(Browser browser, String page) {
        browser.resize(NARROW, 1000);
        browser.open(page);
        openAll(browser);
        browser.withText("#artifact-transfers", "app");
        assertNoSidewaysScrolling(browser);
        browser.resize(1600, 1000);
        browser.open(page);
        openAll(browser);
        List<WebElement> reachable = browser.all("#artifact-transfers a, #artifact-transfers button");
        assertTrue(reachable.size() >= 3, "the agent, the job, and a failed build");
        for (WebElement each : reachable) {
            browser.tabTo(each);
            assertFalse(each.getAccessibleName().isBlank());
        }
    }

    private static void openAll(Browser browser) {
        browser.script("document.querySelectorAll('#artifact-transfers details').forEach(more => more.open = true)");
    }

    private static void assertTrend(Browser browser) {
        browser.one("#artifact-transfers-trend[data-drawn='" + BUILDS + "'] canvas");
        assertFalse(browser.all("table.artifact-transfers tbody tr").isEmpty());
    }

    /** Checks that the page does not scroll sideways; wide tables scroll in their own region. */
    private static void assertNoSidewaysScrolling(Browser browser) {
        Number over = (Number)
                browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertEquals(0, over.intValue());
    }

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
            openAll(browser);
            for (WebElement table : browser.all("#artifact-transfers table")) {
                assertFalse(table.getAccessibleName().isBlank(), table.getText());
            }
            browser.assertNoComplaints();
        }
        ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfers", "application #5");
            openAll(browser);
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
            openAll(browser);
            browser.withText("#artifact-transfers", "Von keinem Agenten ist bekannt");
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
