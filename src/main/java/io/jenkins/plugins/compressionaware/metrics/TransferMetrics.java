package io.jenkins.plugins.compressionaware.metrics;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.MetricSet;
import com.codahale.metrics.Timer;
import hudson.Extension;
import io.jenkins.plugins.compressionaware.engine.store.StoreAnswers;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferInfo.Operation;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.metrics.api.MetricProvider;
import jenkins.metrics.api.Metrics;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Records every transfer in the Metrics plugin's registry. The names, listed in docs/metrics.md, contain no names of jobs or agents. */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class TransferMetrics extends TransferListener {
    /** An agent could report more. */
    private static final int MAX_PARTS = 20_000;

    /** Not static, because the Metrics plugin is optional. */
    private final MetricRegistry registry = Metrics.metricRegistry();

    public TransferMetrics() {
        StoreAnswers.observe((kind, answer) -> requests(kind, answer).mark());
    }

    @Override
    public void started(TransferProgress running) {
        registry.counter(MetricNames.PREFIX + "running").inc();
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        registry.counter(MetricNames.PREFIX + "running").dec();
        String name = MetricNames.PREFIX + MetricNames.codec(result) + "." + MetricNames.path(result) + ".";
        registry.timer(name + "duration").update(result.duration, TimeUnit.MILLISECONDS);
        registry.meter(name + "raw_bytes").mark(result.rawBytes);
        registry.meter(name + "wire_bytes").mark(result.wireBytes);
        registry.meter(name + "reused_bytes").mark(result.reusedBytes);
        if (result.bottleneck != null) {
            registry.meter(MetricNames.PREFIX + "bottleneck." + MetricNames.bottleneck(result.bottleneck))
                    .mark();
        }
        registry.meter(MetricNames.RESUMED).mark(result.interruptions > 0 ? 1 : 0);
        registry.histogram(name + "size").update(result.rawBytes);
        if (result.rawBytes > 0) {
            registry.histogram(name + "ratio_percent").update(Math.round(100.0 * result.wireBytes / result.rawBytes));
        }
    }

    @Override
    public void storedParts(long[] nanos, int[] atOnce, Map<? extends Enum<?>, Integer> repeats) {
        Timer parts = registry.timer(MetricNames.PREFIX + "store.part");
        Arrays.stream(nanos).limit(MAX_PARTS).forEach(each -> parts.update(each, TimeUnit.NANOSECONDS));
        Histogram parallel = registry.histogram(MetricNames.PREFIX + "store.parts_at_once");
        Arrays.stream(atOnce).limit(MAX_PARTS).forEach(parallel::update);
        requests("put", StoreAnswers.name(null)).mark(nanos.length);
        Meter repeated = registry.meter(MetricNames.PREFIX + "store.repeats");
        repeats.forEach((failure, count) -> {
            repeated.mark(Math.max(0, count));
            requests("put", StoreAnswers.name(failure)).mark(Math.max(0, count));
        });
    }

    private Meter requests(String kind, String answer) {
        return registry.meter(MetricNames.PREFIX + "store." + kind + "." + answer);
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
        // the controller counts its own requests
        if (result.store != null && !transfer.agent().equals(TransferInfo.CONTROLLER)) {
            boolean puts = transfer.operation() == Operation.ARCHIVE || transfer.operation() == Operation.STASH;
            // the last request of the agent
            Causes.of(failure)
                    .filter(StoreException.class::isInstance)
                    .map(cause -> ((StoreException) cause).failure())
                    .limit(1) // a cause may be the reason of another
                    .forEach(cause -> requests(puts ? "put" : "get", StoreAnswers.name(cause))
                            .mark());
        }
    }

    /** Creates the meters of rare events at startup. Prometheus would otherwise miss the first event, because a new meter with value 1 is no increase. */
    @Extension(optional = true)
    public static final class FailureMeters extends MetricProvider {
        @Override
        public MetricSet getMetricSet() {
            Map<String, Metric> meters = new HashMap<>();
            meters.put(MetricNames.SHARED, new Meter());
            meters.put(MetricNames.RESUMED, new Meter());
            for (TransferResult.Outcome outcome : TransferResult.Outcome.values()) {
                if (outcome != TransferResult.Outcome.COMPLETED) {
                    meters.put(MetricNames.PREFIX + "failed." + MetricNames.cause(outcome), new Meter());
                }
            }
            return metrics(meters);
        }
    }
}
