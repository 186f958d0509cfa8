package io.jenkins.plugins.compressionaware.metrics;

import com.codahale.metrics.MetricRegistry;
import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.concurrent.TimeUnit;
import jenkins.metrics.api.Metrics;

/**
 * Adds every transfer to the metrics plugin's registry; docs/metrics.md lists the names. There are as many as codecs, ways and causes, whatever agents and
 * jobs there are.
 */
@Extension(optional = true)
public final class TransferMetrics extends TransferListener {
    static final String PREFIX = "jenkins.artifact_transfer.";

    /** Where the extension is not loaded, nor is this. */
    private final MetricRegistry registry = Metrics.metricRegistry();

    @Override
    public void started(RunningTransfer transfer) {
        registry.counter(PREFIX + "running").inc();
    }

    @Override
    public void completed(TransferResult result) {
        registry.counter(PREFIX + "running").dec();
        long raw = result.rawBytes();
        long wire = result.received().wireBytes();
        String name = PREFIX + Labels.codec(result) + "." + Labels.way(result) + ".";
        registry.timer(name + "duration").update(result.nanos(), TimeUnit.NANOSECONDS);
        registry.meter(name + "raw_bytes").mark(raw);
        registry.meter(name + "wire_bytes").mark(wire);
        registry.histogram(name + "size").update(raw);
        if (raw > 0) {
            registry.histogram(name + "ratio_percent").update(Math.round(100.0 * wire / raw));
        }
    }

    @Override
    public void failed(TransferResult result) {
        registry.counter(PREFIX + "running").dec();
        registry.meter(PREFIX + "failed." + Labels.cause(result.failure())).mark();
    }
}
