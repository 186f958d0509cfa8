package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.store.StoreFigures;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.logging.Level;
import jenkins.util.Timer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Tracks one transfer: counts bytes, notifies the listeners, and builds the result. A call of {@link #completed} or {@link #failed} ends it. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class RunningTransfer implements TransferProgress {
    /** Seconds between two calls of {@link TransferListener#progressed}. */
    private static final long PROGRESS_PERIOD = 5;

    private final TransferInfo transfer;
    private final ListenerList listeners;
    private final ScheduledFuture<?> progressTask;
    private final InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
    private final long startMillis = System.currentTimeMillis();
    private final long start = System.nanoTime();
    private final AtomicLong channelBytes = new AtomicLong();
    private final AtomicLong directBytes = new AtomicLong();
    private final AtomicInteger lanes = new AtomicInteger();
    private final AtomicInteger interruptions = new AtomicInteger();
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile long lastArrival = start;
    private volatile long expected;
    private volatile int referenceBuild;
    private volatile long reusedBytes;
    private volatile long storedBytes;
    private volatile String store;
    private volatile long roundTripNanos;
    private volatile int sharedProcessors;
    private volatile int state;
    private volatile ReceiveProgress progress;
    /** Why the end of the transfer could not be reported; the next call of the timer reports it. */
    private volatile Throwable unreported;

    RunningTransfer(
            TransferInfo transfer, List<TransferListener> listeners, @CheckForNull ScheduledExecutorService timer) {
        this.transfer = transfer;
        this.listeners = new ListenerList(listeners);
        this.listeners.each(listener -> listener.started(this));
        progressTask = timer == null || listeners.isEmpty() ? null : schedule(timer);
    }

    @CheckForNull
    private ScheduledFuture<?> schedule(ScheduledExecutorService timer) {
        try {
            return timer.scheduleWithFixedDelay(
                    this::reportProgress, PROGRESS_PERIOD, PROGRESS_PERIOD, TimeUnit.SECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread available; the task may stay scheduled
            ListenerList.log(Level.FINE, "No progress lines for ", transfer, e);
            return null;
        }
    }

    private void reportProgress() {
        if (finished.get()) {
            throw new CancellationException("The transfer has ended"); // cancels this task
        }
        try {
            Throwable late = unreported;
            if (late == null) {
                listeners.each(listener -> listener.progressed(this));
            } else {
                failed(late);
            }
        } catch (Throwable e) { // would cancel this task
            ListenerList.log(Level.FINE, "Cannot report the state of ", transfer, e);
        }
    }

    /**
     * Starts a transfer that notifies all listeners.
     *
     * @param log the build log, to which a long transfer writes its progress
     */
    public static RunningTransfer start(TransferInfo transfer, PrintStream log) {
        List<TransferListener> listeners = new ArrayList<>(ExtensionList.lookup(TransferListener.class));
        listeners.add(new ProgressLogger(log, Computer.threadPoolForRemoting));
        return new RunningTransfer(transfer, listeners, Timer.get());
    }

    /** Starts a transfer of a build between its workspace and this controller; see {@link TransferInfo} for the other parameters. */
    public static RunningTransfer start(
            TransferInfo.Operation operation,
            Run<?, ?> build,
            FilePath workspace,
            @CheckForNull String stash,
            int files,
            @CheckForNull String chosenBy,
            PrintStream log) {
        String job = build.getParent().getFullName();
        return start(
                new TransferInfo(
                        operation, job, build.getNumber(), TransferInfo.agentOf(workspace), stash, files, chosenBy),
                log);
    }

    /** Starts a transfer that notifies no listeners, such as one of the speed test. */
    public static RunningTransfer withoutListeners(TransferInfo transfer) {
        return new RunningTransfer(transfer, List.of(), null);
    }

    @Override
    public TransferInfo transfer() {
        return transfer;
    }

    /** Returns what runs the disk work of the build's thread. Used only by that thread. */
    public InterruptibleDiskTask disk() {
        return disk;
    }

    @Override
    public long startMillis() {
        return startMillis;
    }

    @Override
    public long nanos() {
        return Math.max(1, System.nanoTime() - start);
    }

    @Override
    public long channelBytes() {
        return channelBytes.get();
    }

    @Override
    public long directBytes() {
        return directBytes.get();
    }

    /** Wraps a lane of the channel to count its bytes. Each array is passed on in one write. */
    public OutputStream lane(OutputStream lane) {
        lanes.incrementAndGet();
        return new FilterOutputStream(lane) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                // before the write, which may end the transfer
                addChannelBytes(length);
                out.write(bytes, offset, length);
            }
        };
    }

    /** Counts bytes that arrived over the channel outside a lane. */
    public void addChannelBytes(long bytes) {
        channelBytes.addAndGet(bytes);
        lastArrival = System.nanoTime();
    }

    public void addDirectBytes(long bytes) {
        directBytes.addAndGet(bytes);
        lastArrival = System.nanoTime();
    }

    @Override
    public long idleNanos() {
        return System.nanoTime() - lastArrival;
    }

    /** Sets the receiver's progress if the receiver is in this JVM. */
    public void setProgress(ReceiveProgress receiver) {
        progress = receiver;
    }

    @CheckForNull
    public ReceiveProgress progress() {
        return progress;
    }

    /** Records how many bytes of the files' contents were reused from another build. */
    public void recordReused(int build, long bytes) {
        referenceBuild = build;
        reusedBytes = bytes;
    }

    @Override
    public int referenceBuild() {
        return referenceBuild;
    }

    /** Records that the agent has connected again. Counts streams and silence anew. */
    public void recordInterruption() {
        interruptions.incrementAndGet();
        lanes.set(0);
        lastArrival = System.nanoTime();
    }

    public boolean isFinished() {
        return finished.get();
    }

    @Override
    public int interruptions() {
        return interruptions.get();
    }

    /** Sets {@link #storedBytes}. */
    public void recordStored(long bytes) {
        storedBytes = bytes;
    }

    @Override
    public long storedBytes() {
        return storedBytes;
    }

    /** Sets {@link #store}. */
    public void setStore(String name) {
        store = name;
    }

    @CheckForNull
    @Override
    public String store() {
        return store;
    }

    /** Sets the state of a store's transfer while no byte moves, one of {@link AgentEnd}; {@link AgentEnd#UNKNOWN} while bytes move or the agent is silent. */
    public void setState(int now) {
        state = now;
    }

    int state() {
        return state;
    }

    /** Notifies all listeners of the requests to a store. */
    public void storedParts(StoreFigures requests) {
        listeners.each(listener -> listener.storedParts(requests.nanos(), requests.atOnce(), requests.failures()));
    }

    @Override
    public long reusedBytes() {
        return reusedBytes;
    }

    /** Sets {@link #roundTripNanos} and {@link #sharedProcessors}. */
    public void setLink(long nanos, int processors) {
        roundTripNanos = nanos;
        sharedProcessors = processors;
    }

    @Override
    public long roundTripNanos() {
        return roundTripNanos;
    }

    @Override
    public int sharedProcessors() {
        return sharedProcessors;
    }

    /** Sets the expected final value of {@link #completedBytes}. */
    public void setExpectedBytes(long bytes) {
        expected = bytes;
    }

    @Override
    public long completedBytes() {
        ReceiveProgress current = progress;
        if (current == null) {
            return channelBytes() + directBytes();
        }
        long contents = current.contentBytes();
        return contents < 0 ? current.tarBytes() : contents;
    }

    @Override
    public long totalBytes() {
        long all = expected;
        return all < completedBytes() ? 0 : all;
    }

    /**
     * Runs the transfer, and calls {@link #failed} if the work throws.
     *
     * @param work calls {@link #completed}
     * @throws InterruptedException if interrupted, even if the interrupt caused another exception
     */
    public TransferResult run(Work<TransferResult> work) throws IOException, InterruptedException {
        try {
            return work.runUnwrapped();
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            try {
                failed(e);
            } catch (Throwable full) { // usually an OutOfMemoryError
                unreported = full;
            }
            throw e;
        }
    }

    public TransferResult completed(SendReport sent, ReceiveReport received) {
        return finish(
                new TransferResult(this, lanes.get(), null, sent, received),
                (listener, result) -> listener.completed(transfer, result));
    }

    public void failed(Throwable failure) {
        ReceiveReport nothing = ReceiveReport.of(Figures.counts(transfer.files(), 0, 0, 0, -1));
        finish(
                new TransferResult(this, lanes.get(), failure, SendReport.NOTHING, nothing),
                (listener, result) -> listener.failed(transfer, result, failure));
    }

    /** Allocates everything before the transfer counts as finished, because the heap may be full. */
    private TransferResult finish(TransferResult result, BiConsumer<TransferListener, TransferResult> event) {
        Consumer<TransferListener> notification = listener -> event.accept(listener, result);
        if (progressTask != null) {
            progressTask.cancel(false);
        }
        if (finished.compareAndSet(false, true)) {
            listeners.each(notification);
        }
        return result;
    }
}
