package io.jenkins.plugins.compressionaware.metrics;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.MetricSet;
import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
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
        registry.counter(MetricNames.PREFIX + "running").inc();
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        registry.counter(MetricNames.PREFIX + "running").dec();
        String name = MetricNames.PREFIX + MetricNames.codec(result) + "." + MetricNames.way(result) + ".";
        registry.timer(name + "duration").update(result.duration, TimeUnit.MILLISECONDS);
        registry.meter(name + "raw_bytes").mark(result.rawBytes);
        registry.meter(name + "wire_bytes").mark(result.wireBytes);
        registry.meter(name + "reused_bytes").mark(result.reusedBytes);
        if (result.bottleneck != null) {
            registry.meter(MetricNames.PREFIX + "limited." + MetricNames.limit(result.bottleneck))
                    .mark();
        }
        registry.histogram(name + "size").update(result.rawBytes);
        if (result.rawBytes > 0) {
            registry.histogram(name + "ratio_percent").update(Math.round(100.0 * result.wireBytes / result.rawBytes));
        }
    }

    @Override
    public void deduplicated(String job, long bytes) {
        registry.meter(MetricNames.SHARED).mark(bytes);
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        registry.counter(MetricNames.PREFIX + "running").dec();
        registry.meter(MetricNames.PREFIX + "failed." + MetricNames.cause(result.outcome))
                .mark();
    }

    /** Creates the meters of rare events at the start. To Prometheus, a meter first seen at 1 has not risen, so it would miss the first failure. */
    @Extension(optional = true)
    public static final class FailureMeters extends MetricProvider {
        @Override
        public MetricSet getMetricSet() {
            Map<String, Metric> meters = new HashMap<>();
            meters.put(MetricNames.SHARED, new Meter());
            for (TransferResult.Outcome outcome : TransferResult.Outcome.values()) {
                if (outcome != TransferResult.Outcome.COMPLETED) {
                    meters.put(MetricNames.PREFIX + "failed." + MetricNames.cause(outcome), new Meter());
                }
            }
            return metrics(meters);
        }
    }
}
