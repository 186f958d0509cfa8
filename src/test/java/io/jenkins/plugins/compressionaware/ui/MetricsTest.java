package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import hudson.FilePath;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.model.Slave;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jenkins.metrics.api.Metrics;
import org.junit.jupiter.api.Test;

/** Metrics for the Metrics plugin. */
class MetricsTest extends JenkinsTestBase {
    private static final String PREFIX = "jenkins.artifact_transfer.";

    @Test
    void metricsMatchTransfer() throws Exception {
        factory.setCodec("gzip");
        factory.setDirectLane("off");
        usePlugin();
        Slave agent = r.createOnlineSlave(Label.get("remote"));
        FreeStyleProject job = archiving(agent);
        FilePath workspace = agent.getWorkspaceFor(job);
        workspace.child("file").write("0123456789".repeat(1_000_000), "UTF-8");
        RecordingTransferListener listener = RecordingTransferListener.listen();
        for (String rare : new String[] {
            "failed.aborted", "failed.damaged", "failed.disconnected", "failed.other", "deduplicated_bytes", "resumed"
        }) {
            assertTrue(
                    Metrics.metricRegistry().getMeters().containsKey(PREFIX + rare),
                    "the first one would not be a rise");
        }
        r.buildAndAssertSuccess(job);

        TransferResult result = listener.completed.get(0);
        MetricRegistry registry = Metrics.metricRegistry();
        String name = PREFIX + result.codecs.get(0).codec + ".channel.";
        assertEquals(1, registry.timer(name + "duration").getCount());
        assertEquals(
                result.duration * 1_000_000,
                registry.timer(name + "duration").getSnapshot().getMax());
        assertEquals(10_000_000, registry.meter(name + "raw_bytes").getCount());
        assertEquals(result.wireBytes, registry.meter(name + "wire_bytes").getCount());
        assertEquals(10_000_000, registry.histogram(name + "size").getSnapshot().getMax());
        assertEquals(
                Math.round(100.0 * result.wireBytes / 10_000_000),
                registry.histogram(name + "ratio_percent").getSnapshot().getMax());
        assertEquals(0, registry.counter(PREFIX + "running").getCount());
        assertEquals(0, registry.meter(PREFIX + "resumed").getCount());

        TransferInfo transfer = TransferResults.transfer(TransferInfo.Operation.ARCHIVE);
        RunningTransfer running = RunningTransfer.start(transfer, System.out);
        assertEquals(1, registry.counter(PREFIX + "running").getCount());
        running.failed(new InterruptedException());
        RunningTransfer.start(transfer, System.out)
                .failed(new IOException(new RequestAbortedException(new IOException())));
        RunningTransfer.start(transfer, System.out).failed(new IOException());
        assertEquals(0, registry.counter(PREFIX + "running").getCount());
        for (String cause : new String[] {"aborted", "disconnected", "other"}) {
            assertEquals(1, registry.meter(PREFIX + "failed." + cause).getCount(), cause);
        }
        assertEveryMetricIsDocumented(registry);
    }

    private static void assertEveryMetricIsDocumented(MetricRegistry registry) throws IOException {
        String documented = Files.readString(Path.of("docs/metrics.md"));
        registry.getNames().stream().filter(name -> name.startsWith(PREFIX)).forEach(name -> {
            String general = name.replaceFirst("\\.(none|gzip|lz4|zstd)\\.(channel|direct)\\.", ".CODEC.PATH.");
            assertTrue(documented.contains("`" + general + "`"), general + " is not in docs/metrics.md");
        });
    }
}
