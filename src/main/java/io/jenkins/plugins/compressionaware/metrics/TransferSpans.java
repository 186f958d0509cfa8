package io.jenkins.plugins.compressionaware.metrics;

import hudson.Extension;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A span for every transfer under that of its step, where the opentelemetry plugin makes one; docs/metrics.md lists the attributes. It is made when the
 * transfer is over, by the thread that has transferred: to that the opentelemetry plugin has given the step's context.
 */
@Extension(optional = true)
public final class TransferSpans extends TransferListener {
    static final String PREFIX = "jenkins.artifact_transfer.";

    private static final String SCOPE = "io.jenkins.plugins.compression-aware-artifacts";

    @Override
    public void completed(TransferResult result) {
        if (isTraced()) {
            Span span = start(result)
                    .setAttribute(PREFIX + "codec", Labels.codec(result))
                    .setAttribute(PREFIX + "way", Labels.way(result))
                    .setAttribute(PREFIX + "raw_bytes", result.rawBytes())
                    .setAttribute(PREFIX + "wire_bytes", result.received().wireBytes());
            end(span, result);
        }
    }

    @Override
    public void failed(TransferResult result) {
        if (isTraced()) {
            String cause = Labels.cause(result.failure());
            // not the exception: the step's span has it
            Span span = start(result).setAttribute(PREFIX + "failure", cause).setStatus(StatusCode.ERROR, cause);
            end(span, result);
        }
    }

    /** Elsewhere a span would be a trace of its own, about which nobody knows what it belongs to. */
    private static boolean isTraced() {
        return Span.current().isRecording();
    }

    private static Span start(TransferResult result) {
        Transfer transfer = result.transfer();
        // asked for late: whoever asks before the opentelemetry plugin has started keeps it from starting
        return GlobalOpenTelemetry.getTracer(SCOPE)
                .spanBuilder("artifact transfer")
                .setStartTimestamp(result.startMillis(), TimeUnit.MILLISECONDS)
                .setAttribute(PREFIX + "kind", transfer.kind().name().toLowerCase(Locale.ROOT))
                .setAttribute(PREFIX + "agent", transfer.agent())
                .startSpan();
    }

    private static void end(Span span, TransferResult result) {
        span.end(TimeUnit.MILLISECONDS.toNanos(result.startMillis()) + result.nanos(), TimeUnit.NANOSECONDS);
    }
}
