package io.jenkins.plugins.compressionaware.metrics;

import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Creates a span for every transfer as a child of its step's span, with the attributes listed in docs/metrics.md. The span is created at the end of the
 * transfer, on the transfer's thread, because the OpenTelemetry plugin provides the step's span on that thread.
 */
@Extension(optional = true)
@Restricted(NoExternalUse.class)
public final class TransferSpans extends TransferListener {
    private static final String SCOPE = "io.jenkins.plugins.compression-aware-artifacts";

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        if (isTraced()) {
            Span span = start(result)
                    .setAttribute(MetricNames.PREFIX + "codec", MetricNames.codec(result))
                    .setAttribute(MetricNames.PREFIX + "path", MetricNames.path(result))
                    .setAttribute(MetricNames.PREFIX + "raw_bytes", result.rawBytes)
                    .setAttribute(MetricNames.PREFIX + "wire_bytes", result.wireBytes);
            if (result.bottleneck != null) {
                span.setAttribute(MetricNames.PREFIX + "bottleneck", MetricNames.bottleneck(result.bottleneck));
            }
            span.end(result.start + result.duration, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        if (isTraced()) {
            String cause = MetricNames.cause(result.outcome);
            // without the exception, which the step's span contains
            Span span = start(result)
                    .setAttribute(MetricNames.PREFIX + "failure", cause)
                    .setStatus(StatusCode.ERROR, cause);
            span.end(result.start + result.duration, TimeUnit.MILLISECONDS);
        }
    }

    /** Returns whether the current context has a step's span. Without one, a new span would start a trace without a build. */
    private static boolean isTraced() {
        // not isRecording, because the span of an aborted step ends before its transfer
        return Span.current().getSpanContext().isSampled();
    }

    private static Span start(TransferResult result) {
        // on demand, because a call before the start of the OpenTelemetry plugin would prevent its start
        return GlobalOpenTelemetry.getTracer(SCOPE)
                .spanBuilder("artifact transfer")
                .setStartTimestamp(result.start, TimeUnit.MILLISECONDS)
                .setAttribute(
                        MetricNames.PREFIX + "operation",
                        result.operation.name().toLowerCase(Locale.ROOT))
                .setAttribute(MetricNames.PREFIX + "agent", result.agent)
                .startSpan();
    }
}
