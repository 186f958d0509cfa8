package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AskTransfer;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Fails a transfer in which both ends wait for each other because a message was lost. After {@link #LIMIT} it queries the agent and needs two equal
 * answers. An answer arrives after all earlier data of the agent, so a slow link or disk cannot fail a transfer. Used by one thread.
 */
final class SilenceLimit {
    /** Nanoseconds without a byte until the first query; longer than the four minutes after which Jenkins' ping closes a lost connection. */
    static final long LIMIT = TimeUnit.MINUTES.toNanos(5);

    /** Nanoseconds between two queries; more than twice as long as a chunk and a grant take at 64 kbit/s. */
    static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private static final AtomicLong IDS = new AtomicLong();

    private final LongSupplier silentNanos;
    private final LongSupplier movedBytes;
    private final BooleanSupplier busy;
    private final Supplier<CompletableFuture<? extends Future<long[]>>> query;
    private final LongSupplier clock;
    private final long movedBefore;
    private CompletableFuture<? extends Future<long[]>> asked;
    /** Of the last query, or of its answer. */
    private long time;

    private long[] last;

    /**
     * @param id   number of the transfer for the agent, see {@link #newId}
     * @param busy whether the controller's end works on files or waits for its disk
     */
    SilenceLimit(RunningTransfer running, VirtualChannel channel, long id, BooleanSupplier busy) {
        this(
                running::idleNanos,
                () -> running.channelBytes() + running.directBytes(),
                busy,
                () -> UninterruptedCommand.submit(() -> channel.callAsync(new AskTransfer(id))),
                System::nanoTime);
    }

    /**
     * @param silentNanos nanoseconds since the last byte
     * @param movedBytes  wire bytes received here, or sent from here
     * @param query       begins to query the agent
     * @param clock       nanoseconds
     */
    SilenceLimit(
            LongSupplier silentNanos,
            LongSupplier movedBytes,
            BooleanSupplier busy,
            Supplier<CompletableFuture<? extends Future<long[]>>> query,
            LongSupplier clock) {
        this.silentNanos = silentNanos;
        this.movedBytes = movedBytes;
        this.busy = busy;
        this.query = query;
        this.clock = clock;
        movedBefore = movedBytes.getAsLong();
        time = clock.getAsLong();
    }

    /** Returns a number that no other transfer of this controller has. */
    static long newId() {
        return IDS.incrementAndGet();
    }

    /**
     * Checks both ends; called repeatedly while this end waits. Never waits itself.
     *
     * @throws IOException if both ends wait for each other
     */
    void check() throws IOException {
        long now = clock.getAsLong();
        if (silentNanos.getAsLong() < LIMIT || busy.getAsBoolean()) {
            forget();
            time = now - PAUSE;
        } else if (asked == null && now - time >= PAUSE) {
            asked = query.get();
            time = now;
        } else if (asked != null && asked.isDone()) { // which it is not while the agent reads nothing
            if (asked.isCompletedExceptionally() || asked.join().isDone()) {
                compare(answer());
                asked = null;
                time = now;
            } else if (now - time >= LIMIT) { // it is lost, or the agent was suspended since the last one
                forget();
            }
        }
    }

    private void forget() {
        asked = null;
        last = null;
    }

    private void compare(@CheckForNull long[] answer) throws IOException {
        if (isStuck(answer) && Arrays.equals(answer, last)) {
            throw new IOException(Messages.AgentCall_silent(
                    FigureFormat.ofReader().time(TimeUnit.NANOSECONDS.toMillis(silentNanos.getAsLong())),
                    FigureFormat.ofReader().bytes(answer[1]),
                    FigureFormat.ofReader().bytes(answer[2]),
                    FigureFormat.ofReader().bytes(movedBytes.getAsLong())));
        }
        last = answer;
    }

    // an agent that does not know a transfer has lost it, unless the transfer has yet to begin
    private boolean isStuck(@CheckForNull long[] answer) {
        return answer != null
                && answer.length == 3
                && (answer[0] == AgentEnd.WAITS
                        || answer[0] == AgentEnd.UNKNOWN && movedBytes.getAsLong() > movedBefore);
    }

    /** Returns the agent's answer; null if the query failed, because a lost connection fails the transfer's own call. */
    @CheckForNull
    private long[] answer() {
        try {
            return asked.join().get(0, TimeUnit.SECONDS);
        } catch (RuntimeException | ExecutionException | TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
