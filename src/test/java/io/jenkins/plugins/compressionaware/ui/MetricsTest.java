package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import hudson.FilePath;
import hudson.model.FreeStyleProject;
import hudson.model.Label;
import hudson.model.Slave;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.engine.store.StoreAnswers;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.engine.store.StoreFigures;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
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

    @Test
    void requestsToAStoreAreCounted() throws Exception {
        RunningTransfer running =
                RunningTransfer.start(TransferResults.transfer(TransferInfo.Operation.ARCHIVE), System.out);
        running.setStore("s3://builds");
        running.storedParts(
                new StoreFigures(new long[] {1_000, 2_000}, new int[] {2, 1}, Map.of(StoreFailure.BUSY, 3)));
        StoreException denied = StoreFailure.DENIED.because("HTTP 403.", null);
        running.failed(new IOException("Cannot store", denied));
        StoreAnswers.add("abort the upload of", StoreFailure.MISSING);
        StoreAnswers.add("sign", null);
        Map<StoreFailure, Integer> ofAgent = new HashMap<>(Map.of(StoreFailure.BUSY, 2, StoreFailure.MISSING, -1));
        ofAgent.put(null, 4);
        StoreAnswers.addAll("get", ofAgent);

        MetricRegistry registry = Metrics.metricRegistry();
        String name = PREFIX + "store.";
        assertEquals(2, registry.timer(name + "part").getCount());
        assertEquals(2, registry.histogram(name + "parts_at_once").getSnapshot().getMax());
        assertEquals(3, registry.meter(name + "repeats").getCount());
        Map<String, Long> answers = Map.of(
                "put.ok",
                2L,
                "put.busy",
                3L,
                "put.denied",
                1L,
                "abort.missing",
                1L,
                "sign.ok",
                1L,
                "get.denied",
                0L,
                "get.ok",
                4L,
                "get.busy",
                2L,
                "get.missing",
                0L);
        answers.forEach((answer, count) ->
                assertEquals(count, registry.meter(name + answer).getCount(), answer));
        assertEveryMetricIsDocumented(registry);
        String documented = Files.readString(Path.of("docs/metrics.md"));
        for (StoreFailure failure : StoreFailure.values()) {
            assertTrue(documented.contains('`' + StoreAnswers.name(failure) + '`'), failure.name());
        }
    }

    private static void assertEveryMetricIsDocumented(MetricRegistry registry) throws IOException {
        String documented = Files.readString(Path.of("docs/metrics.md"));
        registry.getNames().stream().filter(name -> name.startsWith(PREFIX)).forEach(name -> {
            String general = name.replaceFirst("\\.(none|gzip|lz4|zstd)\\.(channel|direct)\\.", ".CODEC.PATH.")
                    .replaceFirst("\\.store\\.[a-z]+\\.[a-z_]+$", ".store.KIND.ANSWER");
            assertTrue(documented.contains("`" + general + "`"), general + " is not in docs/metrics.md");
        });
    }
}
