package io.jenkins.plugins.compressionaware.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Label;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jenkinsci.plugins.workflow.cps.nodes.StepAtomNode;
import org.jenkinsci.plugins.workflow.flow.GraphListener;
import org.jenkinsci.plugins.workflow.graph.FlowNode;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.steps.SynchronousNonBlockingStepExecution;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.TestExtension;

/** Spans for OpenTelemetry. The tests imitate the OpenTelemetry plugin, which is not installed. */
class SpansTest extends JenkinsTestBase {
    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    @BeforeEach
    void collectSpans() {
        GlobalOpenTelemetry.resetForTest();
        OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(new Collector()))
                        .build())
                .buildAndRegisterGlobal();
    }

    @AfterEach
    void forget() {
        GlobalOpenTelemetry.resetForTest();
    }

    @Test
    void transferSpanIsChildOfStepSpan() throws Exception {
        factory.setCodec("gzip");
        factory.setDirectLane("off");
        usePlugin();
        r.createOnlineSlave(Label.get("remote"));
        WorkflowJob job = pipeline("""
                node('remote') {
                    writeFile file: 'file', text: '0123456789' * 100000
                    archiveArtifacts 'file'
                    stash 'all'
                    unstash 'all'
                }
                """);
        RecordingTransferListener listener = RecordingTransferListener.listen();
        withStepsContext(() -> r.buildAndAssertStatus(Result.SUCCESS, job));

        assertEquals(3, listener.completed.size());
        for (TransferResult result : listener.completed) {
            String operation = result.operation.name().toLowerCase();
            SpanData span = spans.stream()
                    .filter(each -> operation.equals(text(each, "operation")))
                    .findAny()
                    .orElseThrow();
            assertEquals("artifact transfer", span.getName());
            assertEquals(
                    operation.equals("archive") ? "archiveArtifacts" : operation,
                    parentOf(span).getName());
            assertEquals(result.duration * 1_000_000, span.getEndEpochNanos() - span.getStartEpochNanos());
            assertEquals(result.start * 1_000_000, span.getStartEpochNanos());
            assertEquals(result.agent, text(span, "agent"));
            assertEquals("channel", text(span, "path"));
            assertEquals(MetricNames.codec(result), text(span, "codec"));
            assertEquals(1_000_000, number(span, "raw_bytes"));
            assertEquals(result.wireBytes, number(span, "wire_bytes"));
        }
        assertEveryAttributeIsDocumented();
    }

    @Test
    void failureSpanHasCauseAndNeedsStepSpan() throws Exception {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "agent", null, 0, null);
        RunningTransfer.start(transfer, System.out).failed(new IOException());
        assertEquals(List.of(), spans);

        Span step = GlobalOpenTelemetry.getTracer("test").spanBuilder("step").startSpan();
        try (Scope scope = step.makeCurrent()) {
            RunningTransfer running = RunningTransfer.start(transfer, System.out);
            // Pipeline does not wait for an aborted step
            step.end();
            running.failed(new InterruptedException());
        }
        assertEquals(2, spans.size());
        SpanData failed = spans.get(1);
        assertEquals(StatusCode.ERROR, failed.getStatus().getStatusCode());
        assertEquals("aborted", text(failed, "failure"));
        assertEquals(step.getSpanContext().getSpanId(), failed.getParentSpanId());
        assertEveryAttributeIsDocumented();
    }

    private SpanData parentOf(SpanData span) {
        return spans.stream()
                .filter(each -> each.getSpanId().equals(span.getParentSpanId()))
                .findAny()
                .orElseThrow();
    }

    private static String text(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(MetricNames.PREFIX + name));
    }

    private static long number(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.longKey(MetricNames.PREFIX + name));
    }

    private void assertEveryAttributeIsDocumented() throws IOException {
        String documented = Files.readString(Path.of("docs/metrics.md"));
        for (SpanData span : spans) {
            span.getAttributes()
                    .forEach((key, value) -> assertTrue(documented.contains("`" + key + "`"), key + " is missing"));
        }
    }

    /** Imitates the OpenTelemetry plugin's StepExecutionInstrumentationInitializer. */
    private static void withStepsContext(Callable<?> build) throws Exception {
        Field field = SynchronousNonBlockingStepExecution.class.getDeclaredField("executorService");
        field.setAccessible(true);
        Object before = field.get(null);
        ExecutorService threads = Executors.newCachedThreadPool();
        field.set(null, Context.taskWrapping(threads));
        try {
            build.call();
        } finally {
            field.set(null, before);
            threads.shutdown();
        }
    }

    /** Imitates the OpenTelemetry plugin's MonitoringPipelineListener, which makes a step's span current on the thread that starts the step. */
    @TestExtension("transferSpanIsChildOfStepSpan")
    public static final class StepSpans implements GraphListener.Synchronous {
        private Span span;
        private Scope scope;

        @Override
        public void onNewHead(FlowNode node) {
            if (span != null) {
                scope.close();
                span.end();
                span = null;
            }
            if (node instanceof StepAtomNode step) {
                span = GlobalOpenTelemetry.getTracer("test")
                        .spanBuilder(step.getDisplayFunctionName())
                        .startSpan();
                scope = span.makeCurrent();
            }
        }
    }

    private final class Collector implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
