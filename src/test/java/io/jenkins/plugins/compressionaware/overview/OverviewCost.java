package io.jenkins.plugins.compressionaware.overview;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Totals;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;
import org.kohsuke.stapler.Dispatcher;
import org.kohsuke.stapler.MetaClass;

/**
 * What the administrator's page costs with a year of data: 1,000 agents and 5,000 jobs with a transfer every minute, 100 agents and 500 jobs of them still there.
 * A measurement, not a test, so it runs only when it is asked for: {@code mvn test -Dtest=OverviewCost}.
 */
@WithJenkins
class OverviewCost {
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);
    private static final int MINUTES = 365 * 24 * 60;
    private static final int WARM_UP = 100;
    private static final int TIMES = 300;

    @Test
    void aYear(JenkinsRule r) throws Exception {
        // as in a Jenkins that is not started by a test, which reads its pages once
        MetaClass.NO_CACHE = false;
        Dispatcher.TRACE = false;
        for (int i = 0; i < 100; i++) {
            r.createSlave("agent" + i, "", null);
        }
        for (int i = 0; i < 500; i++) {
            r.createProject(FreeStyleProject.class, "job" + i);
        }
        RollingTotals totals = Transfers.get().totals();
        long now = System.currentTimeMillis();
        for (int i = MINUTES; i > 0; i--) {
            String agent = "agent" + i % 1000;
            String job = "job" + i % 5000;
            totals.add(agent, job, Totals.of(RollingTotalsTest.transfer(agent, job, 50_000_000 + i)), now - i * MINUTE);
        }
        say("the figures", () -> Overview.now(now));
        URL page = new URL(r.getURL(), "manage/artifact-transfers/");
        say("the whole page over HTTP", () -> read(page));
        URL frame = new URL(r.getURL(), "manage/about/");
        say("a page of Jenkins' own in the same frame", () -> read(frame));
        URL api = new URL(r.getURL(), "manage/artifact-transfers/api/json");
        say("the same as JSON", () -> read(api));
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject("of-a-transfer"));
        Transfer transfer =
                new Transfer(Transfer.Kind.ARCHIVE, "of-a-transfer", build.getNumber(), "agent1", null, 1, null);
        PrintStream log = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        say(
                "the figures of one transfer",
                () -> RunningTransfer.start(transfer, log)
                        .completed(SendReport.NOTHING, new ReceiveReport(1, 1, 1, 1, 0, 0, 0, 0, List.of())));
        say("writing the sums", () -> {
            Transfers.get().save();
            return null;
        });
    }

    private static int read(URL url) throws Exception {
        try (InputStream in = url.openStream()) {
            return in.readAllBytes().length;
        }
    }

    private static void say(String what, Callable<?> work) throws Exception {
        long first = nanos(work);
        for (int i = 0; i < WARM_UP; i++) {
            work.call();
        }
        long[] nanos = new long[TIMES];
        for (int i = 0; i < TIMES; i++) {
            nanos[i] = nanos(work);
        }
        Arrays.sort(nanos);
        System.out.printf(
                "COST of %s: median %.2f ms, 95 %% below %.2f ms, the first time %.1f ms%n",
                what, nanos[TIMES / 2] / 1e6, nanos[TIMES * 95 / 100] / 1e6, first / 1e6);
    }

    private static long nanos(Callable<?> work) throws Exception {
        long start = System.nanoTime();
        work.call();
        return System.nanoTime() - start;
    }
}
