package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.TransferStateCallable;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Fails a transfer in which both ends wait for each other because a message was lost: after {@link #LIMIT} without data it queries the agent, and two equal
 * answers in a row fail the transfer, unless the agent is busy. An answer counts once all data that the agent sent before it has arrived, so a slow link or
 * disk never fails a transfer. If the agent never answers, or answers for a day while no byte moves, the transfer fails, too, and if the agent requests the
 * same data again and again. Used by one thread.
 */
final class SilenceLimit {
    /** Nanoseconds without data until the first query. Jenkins' ping closes a lost connection after four to nine minutes, without this class. */
    static final long LIMIT = TimeUnit.MINUTES.toNanos(5);

    /** Nanoseconds between two queries, more than twice as long as a chunk and a grant take at 64 kbit/s. */
    static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    /** Nanoseconds without data that fail a transfer even if the agent is busy. A search for files can take hours. */
    static final long LONGEST = TimeUnit.HOURS.toNanos(24);

    /** Number of periods of {@link #LIMIT} without an answer that fail a transfer. Counted one by one, because either end may be suspended for any time. */
    static final int MAX_UNANSWERED = 6;

    private static final AtomicLong IDS = new AtomicLong();

    private final LongSupplier silentNanos;
    private final LongSupplier movedBytes;
    private final BooleanSupplier busy;
    private final Supplier<Query> query;
    private final LongSupplier clock;
    private final long maxBytes;
    private final long movedBefore;
    private LongConsumer progress;
    private IntConsumer restingStates;
    private Query followed;
    private long[] lastFollowed;
    private Query pending;
    private int unanswered;
    /** Time of the last query or of its answer, nanoseconds of the clock. */
    private long lastEventNanos;

    private long[] lastAnswer;

    /**
     * A query of the agent's state.
     *
     * @param sent completed when the query is sent
     * @param isEchoed returns whether this controller has processed all data that the agent sent before its answer. Data waits while another build's log or
     *     stream blocks the channel's thread for streams
     */
    record Query(CompletableFuture<? extends Future<long[]>> sent, BooleanSupplier isEchoed) {
        static Query send(VirtualChannel channel, long id) {
            AtomicBoolean echoed = new AtomicBoolean();
            return new Query(
                    UninterruptedCommand.submit(
                            channel,
                            () -> channel.callAsync(new TransferStateCallable(
                                    id, new RemoteOutputStream(new FilterOutputStream(OutputStream.nullOutputStream()) {
                                        @Override
                                        public void close() {
                                            echoed.set(true);
                                        }
                                    })))),
                    echoed::get);
        }

        boolean isAnswered() {
            return sent.isDone()
                    && (sent.isCompletedExceptionally() || sent.join().isDone());
        }

        /** Returns the agent's answer; null if the query failed. A lost connection also fails the transfer's own call. */
        @CheckForNull
        long[] answer() throws InterruptedException {
            try {
                return sent.join().get(0, TimeUnit.SECONDS);
            } catch (RuntimeException | ExecutionException | TimeoutException e) {
                return null;
            }
        }
    }

    /**
     * @param id number of the transfer on the agent, see {@link #newId}
     * @param busy returns whether the controller's end works on files or waits for its disk
     * @param maxBytes wire bytes that the transfer may move from now on
     */
    SilenceLimit(RunningTransfer running, VirtualChannel channel, long id, BooleanSupplier busy, long maxBytes) {
        this(
                running::idleNanos,
                () -> running.channelBytes() + running.directBytes(),
                busy,
                () -> Query.send(channel, id),
                System::nanoTime,
                maxBytes);
    }

    /** Returns the limit of a call to an agent without the engine, which cannot be queried: {@link #LONGEST}. */
    static SilenceLimit withoutQueries(LongSupplier silentNanos) {
        return new SilenceLimit(silentNanos, () -> 0, () -> false, () -> null, System::nanoTime, Long.MAX_VALUE);
    }

    /**
     * @param silentNanos returns nanoseconds since the last byte
     * @param movedBytes returns wire bytes received or sent by the controller
     * @param query starts a query of the agent; returns null if it cannot be queried
     * @param clock returns nanoseconds
     */
    SilenceLimit(
            LongSupplier silentNanos,
            LongSupplier movedBytes,
            BooleanSupplier busy,
            Supplier<Query> query,
            LongSupplier clock,
            long maxBytes) {
        this.silentNanos = silentNanos;
        this.movedBytes = movedBytes;
        this.busy = busy;
        this.query = query;
        this.clock = clock;
        this.maxBytes = maxBytes;
        movedBefore = movedBytes.getAsLong();
        lastEventNanos = clock.getAsLong();
    }

    /**
     * Queries the agent of a transfer with a store, whose data bypasses the controller, now and by each check that finds the answer to the last query.
     *
     * @param bytes  receives the number of bytes in each answer
     * @param states receives the state of the agent if no byte has moved since its previous answer, otherwise {@link AgentEnd#UNKNOWN}
     */
    SilenceLimit follow(LongConsumer bytes, IntConsumer states) {
        progress = bytes;
        restingStates = states;
        followed = query.get();
        return this;
    }

    private void follow() throws InterruptedException {
        int state = AgentEnd.UNKNOWN; // a silent agent may be suspended
        if (followed.isAnswered()) {
            long[] answer = followed.answer();
            boolean isState = answer != null && answer.length == 3;
            if (isState) {
                progress.accept(answer[1]);
                state = Arrays.equals(answer, lastFollowed) ? (int) answer[0] : state;
            }
            lastFollowed = isState ? answer : null;
            followed = query.get();
        }
        restingStates.accept(state);
    }

    /** Returns a number that is unique on this controller. */
    static long newId() {
        return IDS.incrementAndGet();
    }

    /**
     * Checks both ends. Called repeatedly while this end waits; never blocks.
     *
     * @throws IOException if both ends wait for each other, the agent does not answer, nothing moves, or too much
     */
    void check() throws IOException, InterruptedException {
        if (progress != null) {
            follow();
        }
        long now = clock.getAsLong();
        if (movedBytes.getAsLong() - movedBefore > maxBytes) {
            throw new KnownFailureException(
                    "the-agent-has-requested-more-than",
                    Messages.AgentCall_repeats(FigureFormat.ofReader().bytes(movedBytes.getAsLong())));
        }
        if (silentNanos.getAsLong() < LIMIT || busy.getAsBoolean()) {
            reset();
            unanswered = 0;
            lastEventNanos = now - PAUSE;
        } else if (silentNanos.getAsLong() >= LONGEST) {
            throw new KnownFailureException(
                    "no-data-has-moved-for-although", Messages.AgentCall_noProgress(silentTime()));
        } else if (pending == null && now - lastEventNanos >= PAUSE) {
            pending = query.get();
            lastEventNanos = now;
        } else if (pending != null
                && pending.isAnswered()
                && (pending.answer() == null || pending.isEchoed.getAsBoolean())) {
            compare(pending.answer());
            pending = null;
            unanswered = 0;
            lastEventNanos = now;
        } else if (pending != null && now - lastEventNanos >= LIMIT) {
            unanswered = pending.isAnswered() ? 0 : unanswered + 1;
            if (unanswered == MAX_UNANSWERED) {
                throw new KnownFailureException("no-data-has-moved-for-and", Messages.AgentCall_noAnswer(silentTime()));
            } else if (pending.sent.isDone()) { // the answer is lost, or the agent was suspended
                reset();
                followed = progress == null ? null : query.get();
            } else {
                UninterruptedCommand.submitAgain(pending.sent);
                if (followed != null) {
                    UninterruptedCommand.submitAgain(followed.sent);
                }
                lastEventNanos = now;
            }
        }
    }

    private String silentTime() {
        return FigureFormat.ofReader().time(TimeUnit.NANOSECONDS.toMillis(silentNanos.getAsLong()));
    }

    private void reset() {
        pending = null;
        lastAnswer = null;
    }

    private void compare(@CheckForNull long[] answer) throws IOException {
        if (isStuck(answer) && Arrays.equals(answer, lastAnswer)) {
            throw new KnownFailureException(
                    "no-data-has-moved-for-agent",
                    Messages.AgentCall_silent(
                            silentTime(),
                            FigureFormat.ofReader().bytes(answer[1]),
                            FigureFormat.ofReader().bytes(answer[2]),
                            FigureFormat.ofReader().bytes(movedBytes.getAsLong())));
        }
        lastAnswer = answer;
    }

    // an agent that does not know the transfer has lost it, unless the transfer has not started there yet
    private boolean isStuck(@CheckForNull long[] answer) {
        return answer != null
                && answer.length == 3
                && (answer[0] == AgentEnd.WAITS
                        || answer[0] == AgentEnd.UNKNOWN && movedBytes.getAsLong() > movedBefore);
    }
}
