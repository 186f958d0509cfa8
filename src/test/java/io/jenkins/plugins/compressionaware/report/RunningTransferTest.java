package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunningTransferTest {
    private static final TransferInfo TRANSFER =
            new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 7, "agent", null, 1, null);
    private static final ReceiveReport RECEIVED = ReceiveReport.of(Figures.counts(1, 30, 40, 12, 0));
    private static final SendReport SENT =
            new SendReport(new Figures(1, 30, 0, 12, 0, 0, 0, 0, 0), new ArrayList<>(), false, null, 2, null);

    private final List<String> events = new ArrayList<>();
    private final List<TransferResult> results = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final HandTimer timer = new HandTimer();

    private final TransferListener hearing = new TransferListener() {
        @Override
        public void started(TransferProgress transfer) {
            events.add("started " + transfer.transfer().build());
        }

        @Override
        public void progressed(TransferProgress transfer) {
            events.add("progressed " + transfer.channelBytes() + " " + transfer.directBytes());
        }

        @Override
        public void completed(TransferInfo transfer, TransferResult result) {
            events.add("completed");
            results.add(result);
        }

        @Override
        public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
            events.add("failed");
            failures.add(failure);
            results.add(result);
        }
    };

    /** A timer that never runs its task; tests run the task themselves. */
    private static final class HandTimer extends ScheduledThreadPoolExecutor {
        private Runnable task;
        private ScheduledFuture<?> planned;

        HandTimer() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long delay, long period, TimeUnit unit) {
            task = command;
            planned = super.scheduleWithFixedDelay(command, 1, 1, TimeUnit.DAYS);
            return planned;
        }
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    private RunningTransfer start(TransferListener... listeners) {
        return new RunningTransfer(TRANSFER, List.of(listeners), timer);
    }

    @Test
    void listenersReceiveEveryEvent() throws Exception {
        RunningTransfer running = start(hearing);
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (OutputStream lane = running.lane(target)) {
            lane.write(new byte[10], 3, 5);
            running.addDirectBytes(7);
            timer.task.run();
        }
        TransferResult result = running.completed(SENT, RECEIVED);

        assertEquals(List.of("started 7", "progressed 5 7", "completed"), events);
        assertEquals(List.of(result), results);
        assertEquals(5, target.size());
        assertEquals(5, result.channelBytes);
        assertEquals(7, result.directBytes);
        assertEquals(1, result.lanes);
        assertEquals(30, result.rawBytes);
        assertTrue(result.duration > 0 && result.start > 0);
        assertEquals(TransferResult.Outcome.COMPLETED, result.outcome);
        assertTrue(timer.planned.isCancelled(), "progress events must stop");
    }

    @Test
    void failedTransferHasResult() throws Exception {
        RunningTransfer running = start(hearing);
        running.lane(OutputStream.nullOutputStream()).write(new byte[9]);
        InterruptedException reason = new InterruptedException();
        running.failed(reason);

        assertEquals(List.of("started 7", "failed"), events);
        TransferResult result = results.get(0);
        assertEquals(List.of(reason), failures);
        assertEquals(TransferResult.Outcome.ABORTED, result.outcome);
        assertEquals(9, result.channelBytes);
        assertEquals(0, result.rawBytes);
        assertNull(result.stageTimes);
        assertTrue(timer.planned.isCancelled());
    }

    /** When listeners are notified, the files are already archived. */
    @Test
    void failingListenerAffectsNeitherTransferNorListeners() throws Exception {
        TransferListener broken = new TransferListener() {
            @Override
            public void started(TransferProgress transfer) {
                throw new IllegalStateException("broken on purpose");
            }

            @Override
            public void completed(TransferInfo transfer, TransferResult result) {
                throw new AssertionError("broken on purpose");
            }
        };
        RunningTransfer running = start(broken, hearing);
        running.run(() -> running.completed(SENT, RECEIVED));
        assertEquals(List.of("started 7", "completed"), events);
    }

    @Test
    void transferWithoutListenersSchedulesNothing() {
        RunningTransfer.withoutListeners(TRANSFER).failed(new IOException());
        start().completed(SENT, RECEIVED);
        assertEquals(List.of(), events);
        assertNull(timer.task, "no task without listeners");
    }

    /** Remoting throws its own exception if an interrupt hits a request for a class. */
    @Test
    void exceptionsCausedByInterruptBecomeInterruptedException() {
        List<Work<TransferResult>> broken = List.of(
                () -> {
                    throw new InterruptedException();
                },
                () -> {
                    throw new InterruptedIOException();
                },
                () -> {
                    throw new ClosedByInterruptException();
                },
                () -> {
                    throw new IllegalStateException(new InterruptedException());
                });
        for (Work<TransferResult> work : broken) {
            assertThrows(InterruptedException.class, () -> start(hearing).run(work));
        }
        assertEquals(broken.size(), failures.size());
        assertTrue(failures.stream().allMatch(InterruptedException.class::isInstance), failures.toString());
    }

    /** java.util.concurrent queues the task before it starts a thread. */
    @Test
    void timerWithoutThreadDoesNotFailTransfer() {
        List<Runnable> queued = new ArrayList<>();
        ScheduledThreadPoolExecutor refusing = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long delay, long period, TimeUnit unit) {
                queued.add(command);
                throw new OutOfMemoryError("unable to create native thread");
            }
        };
        try {
            RunningTransfer running = new RunningTransfer(TRANSFER, List.of(hearing), refusing);
            queued.get(0).run();
            running.completed(SENT, RECEIVED);
        } catch (OutOfMemoryError e) { // rethrown unchanged, the error would stop all tests
            throw new AssertionError(e);
        }
        assertThrows(CancellationException.class, () -> queued.get(0).run(), "the exception cancels the task");
        assertEquals(List.of("started 7", "progressed 0 0", "completed"), events);
    }

    @Test
    void secondEndOfTransferIsIgnored() {
        RunningTransfer running = new RunningTransfer(TRANSFER, List.of(hearing), null);
        assertThrows(
                IllegalStateException.class,
                () -> running.run(() -> {
                    running.completed(SENT, RECEIVED);
                    throw new IllegalStateException("after the end");
                }));
        assertEquals(List.of("started 7", "completed"), events);
    }
}
