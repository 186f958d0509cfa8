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
 * Makes a span for every transfer under that of its step, if the opentelemetry plugin makes one; docs/metrics.md lists the attributes. The span is made when
 * the transfer is over, by the transfer's thread, to which the opentelemetry plugin has given the step's context.
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
                    .setAttribute(MetricNames.PREFIX + "way", MetricNames.way(result))
                    .setAttribute(MetricNames.PREFIX + "raw_bytes", result.rawBytes)
                    .setAttribute(MetricNames.PREFIX + "wire_bytes", result.wireBytes);
            if (result.bottleneck != null) {
                span.setAttribute(MetricNames.PREFIX + "limit", MetricNames.limit(result.bottleneck));
            }
            end(span, result);
        }
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        if (isTraced()) {
            String cause = MetricNames.cause(result.outcome);
            // without the exception, which the step's span has
            Span span = start(result)
                    .setAttribute(MetricNames.PREFIX + "failure", cause)
                    .setStatus(StatusCode.ERROR, cause);
            end(span, result);
        }
    }

    /** Elsewhere, a span would be a trace of its own that nobody could assign to a build. */
    private static boolean isTraced() {
        // isRecording would not do: the span of an aborted step has ended before its transfer
        return Span.current().getSpanContext().isSampled();
    }

    private static Span start(TransferResult result) {
        // late, since a call before the opentelemetry plugin has started would keep it from starting
        return GlobalOpenTelemetry.getTracer(SCOPE)
                .spanBuilder("artifact transfer")
                .setStartTimestamp(result.start, TimeUnit.MILLISECONDS)
                .setAttribute(MetricNames.PREFIX + "kind", result.kind.name().toLowerCase(Locale.ROOT))
                .setAttribute(MetricNames.PREFIX + "agent", result.agent)
                .startSpan();
    }

    private static void end(Span span, TransferResult result) {
        span.end(result.start + result.duration, TimeUnit.MILLISECONDS);
    }
}
