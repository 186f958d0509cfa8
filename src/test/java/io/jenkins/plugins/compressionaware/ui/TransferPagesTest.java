package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Item;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;
import net.sf.json.JSONArray;
import org.htmlunit.html.DomElement;
import org.htmlunit.html.HtmlPage;
import org.htmlunit.html.HtmlTable;
import org.htmlunit.html.HtmlTableCell;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** The pages of builds and jobs, with invented figures. */
class TransferPagesTest extends JenkinsTestBase {
    private FreeStyleProject job;

    @BeforeEach
    void createJob() throws Exception {
        job = r.createFreeStyleProject("job");
    }

    private static TransferResult completed(String agent, long rawBytes, long wireBytes, long millis) {
        ArrayList<CodecUsage> usages = new ArrayList<>(List.of(
                new CodecUsage(CodecLevel.zstd(3), 8, rawBytes * 8 / 10, wireBytes / 2, 900_000_000),
                new CodecUsage(CodecLevel.UNCOMPRESSED, 2, rawBytes * 2 / 10, wireBytes / 2, 100_000_000)));
        SendReport sent = new SendReport(
                new Figures(1234, rawBytes, 0, wireBytes, 250_000_000, 6_000_000_000L, 0, 0, 1_500_000_000),
                usages,
                true,
                null,
                2,
                null);
        ReceiveReport received = new ReceiveReport(
                new Figures(1234, rawBytes, rawBytes, wireBytes, 0, 0, 300_000_000, 750_000_000, 400_000_000),
                List.of(),
                0);
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.STASH, "job", 1, agent, "classes", 0, null);
        return TransferResults.completed(transfer, millis, wireBytes, 0, 2, sent, received);
    }

    private static TransferResult failed() {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "", null, 7, null);
        return TransferResults.failed(transfer, 2000, 5_000_000, new IOException("No space left\nmore"));
    }

    private FreeStyleBuild build(TransferResult... figures) throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        if (figures.length > 0) {
            BuildTransfersAction transfers = new BuildTransfersAction();
            for (TransferResult one : figures) {
                transfers.add(one);
            }
            build.addAction(transfers);
            build.save();
        }
        return build;
    }

    private HtmlPage page(String url) throws Exception {
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            return client.goTo(url);
        }
    }

    private static String row(HtmlPage page, int index) {
        HtmlTable table = page.querySelector("table.artifact-transfers");
        return table.getRow(index).getCells().stream()
                .map(HtmlTableCell::asNormalizedText)
                .collect(Collectors.joining(" | "))
                .replaceAll("[\\s\u00a0]+", " ")
                .strip();
    }

    @Test
    void buildPageShowsRowsAndDetails() throws Exception {
        FreeStyleBuild build = build(completed("linux-1", 100_000_000, 40_000_000, 8000), failed());
        HtmlPage page = page(build.getUrl() + "artifact-transfers/");
        assertEquals("Stash classes | linux-1 | 1,234 | 100 MB | 40.0 MB (40%) | 8.00 s | 12.5 MB/s", row(page, 1));
        assertEquals(
                List.of(
                        "auto: 80% zstd 3, 20% uncompressed",
                        "2 streams",
                        "agent 1.50 s, controller 0.40 s",
                        "reading 0.25 s (3%) compressing 0.50 s (6%) network 3.00 s (38%) decompressing 0.10 s (1%)"
                                + " writing 0.75 s (9%)"),
                page.querySelectorAll(".artifact-transfers-more dd").stream()
                        .map(detail -> detail.getTextContent()
                                .replaceAll("[\\s\u00a0]+", " ")
                                .strip())
                        .toList());
        assertEquals("Archive failed: No space left | | | | 5.00 MB | 2.00 s |", row(page, 3));
        String summary =
                "100 MB in 8.00 s (12.5 MB/s) with 1 transfer, 40.0 MB sent (40%). 1 transfer failed or was aborted.";
        assertTrue(page.asNormalizedText().replace('\u00a0', ' ').contains(summary), page.asNormalizedText());
        String buildPage = page(build.getUrl()).getElementById("main-panel").asNormalizedText();
        assertTrue(buildPage.replace('\u00a0', ' ').contains("Artifact transfers: " + summary), buildPage);
    }

    @Test
    void clickOnRowOpensDetails() throws Exception {
        String url = build(completed("a", 1_000_000, 500_000, 1000)).getUrl() + "artifact-transfers/";
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            HtmlPage page = client.goTo(url);
            DomElement button = page.querySelector(".artifact-transfers-open");
            DomElement more = page.querySelector(".artifact-transfers-more");
            ((DomElement) button.getParentNode().getParentNode()).click();
            assertEquals("true", button.getAttribute("aria-expanded"));
            assertFalse(more.hasAttribute("hidden"));
            button.click();
            assertEquals("false", button.getAttribute("aria-expanded"));
            assertTrue(more.hasAttribute("hidden"));
        }
    }

    @Test
    void furtherTransfersAreSummed() throws Exception {
        TransferResult[] figures = new TransferResult[BuildTransfersAction.ROWS + 3];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = i == figures.length - 1 ? failed() : completed("a", 1_000_000, 500_000, 1000);
        }
        HtmlPage page = page(build(figures).getUrl() + "artifact-transfers/");
        assertEquals(
                "3 more transfers 1 failed or was aborted | | 2,468 | 2.00 MB | 1.00 MB (50%) | 2.00 s | 1.00 MB/s",
                row(page, 2 * BuildTransfersAction.ROWS + 1));
    }

    @Test
    void buildWithoutTransfersHasNoPage() throws Exception {
        FreeStyleBuild build = build();
        assertFalse(page(build.getUrl()).asXml().contains("artifact-transfers"));
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            client.assertFails(build.getUrl() + "artifact-transfers/", 404);
        }
    }

    @Test
    void jobWithoutTransfersShowsNotice() throws Exception {
        assertTrue(page("job/job/artifact-transfers/")
                .asNormalizedText()
                .contains("The newest builds have no recorded transfers"));
        build();
        assertTrue(page("job/job/artifact-transfers/")
                .asNormalizedText()
                .contains("The newest builds have no recorded transfers"));
        assertFalse(page("job/job/").asXml().contains("job/job/artifact-transfers"), "a link to nothing");
    }

    @Test
    void jobWithOneBuildHasTableAndNoChart() throws Exception {
        build(completed("a", 100_000_000, 40_000_000, 8000), failed());
        HtmlPage page = page("job/job/artifact-transfers/");
        assertTrue(
                row(page, 1)
                        .endsWith(" | 2 1 failed or was aborted | 1,234 | 100 MB | 40.0 MB (40%) | 8.00 s | 12.5 MB/s"),
                row(page, 1));
        assertNull(page.querySelector("#artifact-transfers-trend"));
        assertTrue(page("job/job/").asXml().contains("artifact-transfers"));
    }

    @Test
    void jobPageSkipsBuildsWithoutTransfersAndLimitsRows() throws Exception {
        for (int i = 0; i < JobTransfersAction.BUILDS + 5; i++) {
            if (i % 20 == 0) {
                build();
            }
            build(completed("a", 100_000_000 + i, 40_000_000, 8000));
        }
        HtmlPage page = page("job/job/artifact-transfers/");
        HtmlTable table = page.querySelector("table.artifact-transfers");
        assertEquals(JobTransfersAction.BUILDS + 1, table.getRowCount());
        assertTrue(row(page, 1).startsWith("#" + job.getLastBuild().getNumber() + " "), "the newest first");

        try (JenkinsRule.WebClient client = r.createWebClient()) {
            JSONArray builds = client.getJSON("job/job/artifact-transfers/api/json")
                    .getJSONObject()
                    .getJSONArray("builds");
            assertEquals(JobTransfersAction.BUILDS, builds.size());
            assertEquals(
                    job.getLastBuild().getNumber(),
                    builds.getJSONObject(JobTransfersAction.BUILDS - 1).getInt("number"));
            assertEquals(
                    100_000_005, builds.getJSONObject(0).getJSONObject("total").getLong("rawBytes"));
        }
    }

    /** The builds are on the disk only, as after a start of Jenkins. */
    @Test
    void jobPageLoadsFewOfTenThousandBuilds() throws Exception {
        Run<?, ?> first = build(completed("a", 100_000_000, 40_000_000, 8000));
        Path builds = first.getRootDir().toPath().getParent();
        byte[] saved = Files.readAllBytes(first.getRootDir().toPath().resolve("build.xml"));
        for (int number = 2; number <= 10_000; number++) {
            Files.write(
                    Files.createDirectory(builds.resolve(Integer.toString(number)))
                            .resolve("build.xml"),
                    saved);
        }
        r.jenkins.reload();
        job = r.jenkins.getItemByFullName("job", FreeStyleProject.class);

        HtmlPage page = page("job/job/artifact-transfers/");
        assertEquals(
                JobTransfersAction.BUILDS + 1,
                ((HtmlTable) page.querySelector("table.artifact-transfers")).getRowCount());
        assertTrue(row(page, 1).startsWith("#10,000 ") || row(page, 1).startsWith("#10000 "), row(page, 1));
        page("manage/artifact-transfers/");
        int loaded = job._getRuns().getLoadedBuilds().size();
        assertTrue(loaded <= JobTransfersAction.MAX_EXAMINED + 10, loaded + " builds were loaded");
    }

    @Test
    void pagesRequireJobRead() throws Exception {
        Run<?, ?> build = build(completed("a", 100_000_000, 40_000_000, 8000));
        permit(Map.of("stranger", List.of(Jenkins.READ), "reader", List.of(Jenkins.READ, Item.READ)));
        List<String> urls = List.of(
                build.getUrl() + "artifact-transfers/",
                build.getUrl() + "artifact-transfers/api/json",
                "job/job/artifact-transfers/",
                "job/job/artifact-transfers/api/json");
        for (String url : urls) {
            assertEquals(404, get(login("stranger"), url), url);
            assertEquals(200, get(login("reader"), url), url);
        }
    }
}
