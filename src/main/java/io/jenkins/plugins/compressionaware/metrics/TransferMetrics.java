package io.jenkins.plugins.compressionaware.metrics;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.MetricSet;
import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.metrics.api.MetricProvider;
import jenkins.metrics.api.Metrics;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Adds every transfer to the metrics plugin's registry; docs/metrics.md lists the names, which depend only on codecs, ways and causes. */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class TransferMetrics extends TransferListener {
    /** Not static: the metrics plugin may be missing. */
    private final MetricRegistry registry = Metrics.metricRegistry();

    @Override
    public void started(TransferProgress running) {
        registry.counter(Labels.PREFIX + "running").inc();
    }

    @Override
    public void completed(Transfer transfer, TransferResult result) {
        registry.counter(Labels.PREFIX + "running").dec();
        String name = Labels.PREFIX + Labels.codec(result) + "." + Labels.way(result) + ".";
        registry.timer(name + "duration").update(result.duration, TimeUnit.MILLISECONDS);
        registry.meter(name + "raw_bytes").mark(result.rawBytes);
        registry.meter(name + "wire_bytes").mark(result.wireBytes);
        registry.meter(name + "earlier_bytes").mark(result.earlierBytes);
        if (result.limit != null) {
            registry.meter(Labels.PREFIX + "limited." + Labels.limit(result.limit))
                    .mark();
        }
        registry.histogram(name + "size").update(result.rawBytes);
        if (result.rawBytes > 0) {
            registry.histogram(name + "ratio_percent").update(Math.round(100.0 * result.wireBytes / result.rawBytes));
        }
    }

    @Override
    public void shared(String job, long bytes) {
        registry.meter(Labels.SHARED).mark(bytes);
    }

    @Override
    public void failed(Transfer transfer, TransferResult result, Throwable failure) {
        registry.counter(Labels.PREFIX + "running").dec();
        registry.meter(Labels.PREFIX + "failed." + Labels.cause(result.outcome)).mark();
    }

    /** Creates the meters of rare events at the start. To Prometheus, a meter first seen at 1 has not risen, so it would miss the first failure. */
    @Extension(optional = true)
    public static final class Rare extends MetricProvider {
        @Override
        public MetricSet getMetricSet() {
            Map<String, Metric> meters = new HashMap<>();
            meters.put(Labels.SHARED, new Meter());
            for (TransferResult.Outcome outcome : TransferResult.Outcome.values()) {
                if (outcome != TransferResult.Outcome.COMPLETED) {
                    meters.put(Labels.PREFIX + "failed." + Labels.cause(outcome), new Meter());
                }
            }
            return metrics(meters);
        }
    }
}
