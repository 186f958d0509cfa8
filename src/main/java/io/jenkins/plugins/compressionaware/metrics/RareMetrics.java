package io.jenkins.plugins.compressionaware.metrics;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricSet;
import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.HashMap;
import java.util.Map;
import jenkins.metrics.api.MetricProvider;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The meters of what is rare from the start on: one that is first seen at 1 has not risen for Prometheus, and the first failure would go unseen. */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class RareMetrics extends MetricProvider {
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
