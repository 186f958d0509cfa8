package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.testing.FullHeap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Wherever the heap is full for a moment, all listeners that know the start of a transfer are notified of its end, and its timer stops. */
class FullHeapAtTheEndTest {
    private static final Class<?>[] STRIKES = {RunningTransfer.class, TransferResult.class};

    @Test
    void failedTransferEnds() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Failed.class, STRIKES));
    }

    @Test
    void completedTransferEnds() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Completed.class, STRIKES));
    }

    public static final class Failed implements Callable<String> {
        @Override
        public String call() throws Exception {
            return new Scenario().run(false);
        }
    }

    public static final class Completed implements Callable<String> {
        @Override
        public String call() throws Exception {
            return new Scenario().run(true);
        }
    }

    private static final class Scenario {
        private final List<String> first = new ArrayList<>();
        private final List<String> second = new ArrayList<>();
        private final ManualTimer timer = new ManualTimer();

        String run(boolean completes) throws Exception {
            try {
                String thrown = transfer(completes);
                boolean struck = !thrown.equals(completes ? "nothing" : "the reason");
                timer.runTwice();
                String events = first + " and " + second + ", thrown: " + thrown + ", timer: " + !timer.isStopped();
                boolean unknown = second.isEmpty() && first.size() <= 1; // the heap was full before the start
                boolean ended = second.size() == 2 && first.equals(second) && timer.isStopped();
                return unknown && struck && timer.isStopped() || ended ? null : events;
            } finally {
                timer.shutdownNow();
            }
        }

        private String transfer(boolean completes) throws Exception {
            try {
                RunningTransfer running = new RunningTransfer(
                        new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 7, "agent", null, 1, null),
                        List.of(listener(first), listener(second)),
                        timer);
                running.run(() -> {
                    if (!completes) {
                        throw new IOException("the reason");
                    }
                    return running.completed(SendReport.NOTHING, ReceiveReport.of(Figures.counts(1, 1, 1, 1, -1)));
                });
                return "nothing";
            } catch (IOException e) {
                return e.getMessage();
            } catch (OutOfMemoryError e) {
                return "an error";
            }
        }

        private static TransferListener listener(List<String> events) {
            return new TransferListener() {
                @Override
                public void started(TransferProgress transfer) {
                    events.add("started");
                }

                @Override
                public void completed(TransferInfo transfer, TransferResult result) {
                    events.add("ended");
                }

                @Override
                public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
                    events.add("ended");
                }
            };
        }
    }

    /** Runs its task only when the scenario wants it. */
    private static final class ManualTimer extends ScheduledThreadPoolExecutor {
        private Runnable task;
        private ScheduledFuture<?> planned;
        private boolean threw;

        ManualTimer() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long delay, long period, TimeUnit unit) {
            task = command;
            planned = super.scheduleWithFixedDelay(command, 1, 1, TimeUnit.DAYS);
            return planned;
        }

        void runTwice() {
            for (int i = 0; i < 2 && task != null && !isStopped(); i++) {
                try {
                    task.run();
                } catch (RuntimeException | OutOfMemoryError e) { // an executor would cancel the task
                    threw = true;
                }
            }
        }

        boolean isStopped() {
            return task == null || threw || planned.isCancelled();
        }
    }
}
