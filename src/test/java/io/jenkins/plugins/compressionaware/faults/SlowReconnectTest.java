package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections are cut for long, often, or all at once. */
@Timeout(3600)
@Tag("slow")
class SlowReconnectTest extends ReconnectTestBase {
    @Test
    void thirtySeconds() throws Exception {
        usePlugin();
        try (CutTransfer cut = connect("long", InboundTransport.TCP, CutTransfer.RATE)) {
            WorkflowRun build = archiving(cut);
            cut.awaitBytes(build, 0, 6_000_000);
            cut.cut(30_000);
            assertArchived(cut, build, "once");
        }
    }

    @Test
    void fourthLossFails() throws Exception {
        usePlugin();
        try (CutTransfer cut = connect("often", InboundTransport.TCP, CutTransfer.RATE)) {
            WorkflowRun build = archiving(cut);
            for (int i = 0; i < 4; i++) {
                cut.awaitBytes(build, i, 5_000_000 + 2_000_000 * i);
                cut.cut(500);
            }
            r.assertBuildStatus(Result.FAILURE, CutTransfer.end(build));
            assertEquals(3, CutTransfer.count(build, "was lost after"));
            assertEquals(Map.of(), FileTrees.describe(archiveOf(build)));
            cut.assertNothingRemains(build.getParent());
        }
    }

    @Test
    void twentyAgentsAtOnce() throws Exception {
        usePlugin();
        List<CutTransfer> cuts = new ArrayList<>();
        List<WorkflowRun> builds = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                cuts.add(connect("many" + i, InboundTransport.TCP, CutTransfer.RATE));
            }
            for (CutTransfer cut : cuts) {
                cut.countOpenFiles();
                cut.proxy.limit(CutTransfer.RATE / 20); // else the first transfers end before the last begin
                builds.add(archiving(cut));
            }
            for (int i = 0; i < 20; i++) {
                cuts.get(i).awaitBytes(builds.get(i), 0, 1_000_000);
            }
            for (CutTransfer cut : cuts) {
                cut.proxy.cut();
            }
            Thread.sleep(1000);
            for (CutTransfer cut : cuts) {
                cut.proxy.restore();
            }
            builds.forEach(CutTransfer::end);
            for (int i = 0; i < 20; i++) {
                assertArchived(cuts.get(i), builds.get(i), "once");
            }
        } finally {
            for (CutTransfer cut : cuts) {
                cut.close();
            }
        }
    }
}
