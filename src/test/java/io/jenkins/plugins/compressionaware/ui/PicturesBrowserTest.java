package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.remoting.RequestAbortedException;
import hudson.slaves.DumbSlave;
import hudson.slaves.JNLPLauncher;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferInfo.Operation;
import io.jenkins.plugins.compressionaware.report.TransferRegistry;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import io.jenkins.plugins.compressionaware.testing.jenkins.Browser;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.darktheme.DarkThemeManagerFactory;
import io.jenkins.plugins.thememanager.ThemeManagerPageDecorator;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.WebElement;

/** Takes the pictures of the pages for the documentation, with the figures of a product's week. */
@ExtendWith(Browser.Languages.class)
class PicturesBrowserTest extends JenkinsTestBase {
    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 16);
    private static final int FIRST_BUILD = 188;
    private static final int BUILDS = 27;

    /** Connections of the direct lane on a LAN. */
    private static final int CONNECTIONS = 3;

    private static final int THREADS = 4;

    private static final int DECODERS = 3;

    /** Bytes that are sent over the agent connection until the direct lane is ready. */
    private static final long CHANNEL_BYTES = 30_100_000;

    private static final List<String> OTHER_JOBS =
            List.of("mobile-app", "search-service", "payment-service", "handbook");

    private final Random random = new Random(7);
    private final List<FreeStyleBuild> builds = new ArrayList<>();
    private FreeStyleProject job;

    @Test
    void picturesShowProductsWeek() throws Exception {
        usePlugin();
        for (String agent : List.of("linux-1", "linux-2", "windows-1", "arm64-1")) {
            r.jenkins.addNode(new DumbSlave(agent, "/home/jenkins", new JNLPLauncher()));
        }
        job = r.createFreeStyleProject("web-shop");
        job.updateNextBuildNumber(FIRST_BUILD);
        for (int i = 0; i < BUILDS; i++) {
            build(i);
        }
        fillTotals();
        TransferInfo next = new TransferInfo(
                Operation.ARCHIVE, job.getFullName(), FIRST_BUILD + BUILDS, "linux-2", null, 2156, null);
        try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm().open(14_700_000, 0)) {
            takePictures(next, "light");
            ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
            takePictures(next, "dark");
        }
    }

    private void takePictures(TransferInfo next, String theme) throws Exception {
        try (Browser browser = new Browser("en")) {
            browser.resize(1350, 1900);
            browser.open(r.getURL() + builds.get(BUILDS - 1).getUrl() + "artifact-transfers/");
            List<WebElement> rows = browser.all("table.artifact-transfers .artifact-transfers-open");
            assertEquals(4, rows.size(), "a stash, two unstashes and an archive");
            browser.click(rows.get(3));
            browser.withText("table.artifact-transfers .artifact-transfers-stages", "reading");
            browser.screenshot(browser.one("#main-panel"), "transfers-build-" + theme);

            browser.open(r.getURL() + job.getUrl() + "artifact-transfers/");
            browser.one("#artifact-transfers-trend[data-drawn='" + BUILDS + "'] canvas");
            browser.script("document.querySelectorAll('table.artifact-transfers tbody tr:nth-child(n + 7)')"
                    + ".forEach(row => row.remove())");
            browser.screenshot(browser.one("#main-panel"), "transfers-job-" + theme);

            browser.resize(1100, 1900);
            RunningTransfer running = RunningTransfer.withoutListeners(next);
            running.addChannelBytes(412_000_000);
            TransferRegistry.get().started(running);
            browser.open(r.getURL() + "manage/artifact-transfers/");
            browser.withText("#artifact-transfers", "web-shop #" + (FIRST_BUILD + BUILDS));
            browser.script(
                    "document.querySelectorAll('#artifact-transfers details').forEach(more => more.open = true)");
            browser.screenshot(browser.one("#main-panel"), "overview-" + theme);
            browser.assertNoComplaints();
        }
    }

    /** Five builds on each working day, and one in the nights of the weekend. The last build is the one of the README. */
    private void build(int i) throws Exception {
        int day = Math.min(i / 5, 4);
        LocalDateTime start = i < 25
                ? MONDAY.plusDays(day).atTime(8, 40).plusMinutes(i % 5 * 125L + random.nextInt(60))
                : MONDAY.plusDays(i - 20L).atTime(2, 0);
        boolean isLast = i == BUILDS - 1;
        double size = isLast ? 1 : 0.93 + 0.0025 * i + 0.01 * random.nextDouble();
        double time = isLast ? 1 : size * (0.94 + 0.16 * random.nextDouble());
        String agent = "linux-" + (isLast ? 1 : 1 + i % 2);
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        builds.add(build);
        Field timestamp = Run.class.getDeclaredField("timestamp");
        timestamp.setAccessible(true);
        timestamp.setLong(
                build, start.atZone(ZoneId.systemDefault()).toInstant().toEpochMilli());
        BuildTransfersAction transfers = new BuildTransfersAction();
        transfers.add(stash(agent, size, time));
        transfers.add(unstash("windows-1", size, 1.4 * time));
        if (isLast || i == 9) {
            transfers.add(TransferResults.failed(
                    info(Operation.UNSTASH, "arm64-1"), 1870, 11_500_000, new RequestAbortedException(null)));
        }
        transfers.add(unstash("arm64-1", size, 1.1 * time));
        TransferResult archive = archive(agent, size, time, isLast ? 92 : 82 + random.nextInt(12));
        transfers.add(archive);
        build.addAction(transfers);
        build.save();
        if (isLast) {
            String line = BuildLogMessages.completed(archive);
            assertTrue(Page.of("README.md").text().contains(line), line);
        }
    }

    private static TransferInfo info(Operation operation, String agent) {
        String stash = operation == Operation.ARCHIVE ? null : "classes";
        return new TransferInfo(operation, "web-shop", FIRST_BUILD, agent, stash, 0, null);
    }

    /** @param jars share of files that are compressed already, per cent */
    private static TransferResult archive(String agent, double size, double time, int jars) {
        long bytes = (long) (1_070_000_000 * size);
        long compressed = bytes * jars / 100;
        long texts = bytes - compressed;
        long sent = compressed + texts * 3 / 10;
        CodecUsage uncompressed = new CodecUsage(CodecLevel.UNCOMPRESSED, 3750, compressed, compressed, 0);
        CodecUsage zstd = new CodecUsage(CodecLevel.zstd(1), 330, texts, texts * 3 / 10, 0);
        return sent(Operation.ARCHIVE, agent, 2156, bytes, sent, 4.21 * time, 956, List.of(uncompressed, zstd));
    }

    private static TransferResult stash(String agent, double size, double time) {
        long bytes = (long) (96_400_000 * size);
        long sent = (long) (35_700_000 * size);
        CodecUsage classes = new CodecUsage(CodecLevel.zstd(4), 368, bytes, sent, 0);
        return sent(Operation.STASH, agent, 4318, bytes, sent, 0.38 * time, 450, List.of(classes));
    }

    /** @param network share of the time in which a connection is busy, per thousand */
    private static TransferResult sent(
            Operation operation,
            String agent,
            int files,
            long bytes,
            long sent,
            double seconds,
            int network,
            List<CodecUsage> usages) {
        long nanos = (long) (seconds * 1e9);
        ArrayList<CodecUsage> timed = new ArrayList<>();
        long compressing = nanos * (operation == Operation.ARCHIVE ? 8 : 42) / 100;
        for (CodecUsage usage : usages) {
            long time = compressing * THREADS / usages.size();
            timed.add(new CodecUsage(usage.choice(), usage.blocks(), usage.rawBytes(), usage.wireBytes(), time));
        }
        Figures sender = new Figures(
                files,
                bytes,
                0,
                sent,
                nanos * 21 / 100,
                nanos * network / 1000 * CONNECTIONS,
                0,
                0,
                compressing + nanos * 31 / 100);
        Figures receiver = new Figures(
                files, bytes, bytes, sent, 0, 0, nanos * 6 / 100 * DECODERS, nanos * 34 / 100, nanos * 52 / 100);
        long channel = Math.min(CHANNEL_BYTES, sent / 4);
        return TransferResults.completed(
                info(operation, agent),
                Math.round(seconds * 1000),
                channel,
                sent - channel,
                1,
                new SendReport(sender, timed, true, null, THREADS, direct(sent)),
                ReceiveReport.of(receiver));
    }

    private static TransferResult unstash(String agent, double size, double time) {
        long bytes = (long) (96_400_000 * size);
        long sent = (long) (35_700_000 * size);
        long nanos = (long) (0.52e9 * time);
        Figures received = new Figures(
                4318,
                bytes,
                bytes,
                sent,
                0,
                nanos * 36 / 100,
                nanos * 12 / 100 * DECODERS,
                nanos * 61 / 100,
                nanos * 83 / 100);
        return TransferResults.completed(
                info(Operation.UNSTASH, agent),
                nanos / 1_000_000,
                2_100_000,
                sent - 2_100_000,
                1,
                SendReport.ofFrameFile(received, direct(sent)),
                ReceiveReport.of(received));
    }

    private static DirectLaneReport direct(long bytes) {
        return new DirectLaneReport(
                "https://ci.example.com/",
                CONNECTIONS,
                bytes,
                null,
                new LaneFailure[0],
                DirectLaneReport.Outcome.WORKED,
                0,
                0);
    }

    /** Adds the week to the totals of this Jenkins, as if it ended today, with the transfers of other jobs. */
    private void fillTotals() throws Exception {
        for (String other : OTHER_JOBS) {
            r.createFreeStyleProject(other);
        }
        long now = System.currentTimeMillis();
        for (int i = 0; i < BUILDS; i++) {
            long day = now - Duration.ofDays(6L - i * 7 / BUILDS).toMillis();
            for (TransferResult result :
                    builds.get(i).getAction(BuildTransfersAction.class).getTransfers()) {
                if (result.outcome == TransferResult.Outcome.COMPLETED) {
                    add(result, job.getFullName(), i, day);
                }
            }
            for (int j = 0; j < OTHER_JOBS.size(); j++) {
                double size = (0.4 + 0.05 * random.nextDouble()) / (j + 1);
                double time = size * (1 + 0.1 * j);
                add(archive("linux-" + (1 + j % 2), size, time, 92 - 13 * j), OTHER_JOBS.get(j), i, day);
            }
        }
    }

    private static void add(TransferResult result, String job, int build, long day) {
        TransferRegistry.get().totals().add(result.agent, job, build, new TransferTotals(result), day);
    }
}
