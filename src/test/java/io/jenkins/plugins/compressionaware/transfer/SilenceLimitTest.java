package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transfer fails if both ends wait for each other, but not because it is slow. */
@ExtendWith(EnglishLocale.class)
class SilenceLimitTest {
    private static final long[] WAITS = {AgentEnd.WAITS, 2_000_000, 18_000_000};
    private static final long[] BUSY = {AgentEnd.BUSY, 2_000_000, 18_000_000};
    private static final long[] UNKNOWN = {AgentEnd.UNKNOWN, 0, 0};

    private final List<CompletableFuture<long[]>> queries = new ArrayList<>();
    private long now = 1;
    private long lastByte = 1;
    private long moved = 1_000_000;
    private boolean busy;
    private boolean losesTasks;
    private boolean streamsAreBlocked;

    private final SilenceLimit limit = new SilenceLimit(
            () -> now - lastByte,
            () -> moved,
            () -> busy,
            () -> {
                CompletableFuture<long[]> answer = new CompletableFuture<>();
                queries.add(answer);
                return new SilenceLimit.Query(
                        UninterruptedCommand.submit("agent", () -> answer, this::runOrLose), () -> !streamsAreBlocked);
            },
            () -> now,
            2_000_000);

    private void runOrLose(Runnable task) {
        if (!losesTasks) {
            task.run();
        }
    }

    private void after(long nanos) throws Exception {
        now += nanos;
        limit.check();
    }

    /** Makes the limit query the agent, and answers. */
    private void answerNextQuery(long[] answer) throws Exception {
        int before = queries.size();
        after(SilenceLimit.PAUSE);
        assertEquals(before + 1, queries.size());
        queries.get(before).complete(answer);
        limit.check();
    }

    private void passLimit() throws Exception {
        after(SilenceLimit.LIMIT - 1);
        assertEquals(0, queries.size());
    }

    @Test
    void equalAnswersFailTransferWithFiguresOfBothEnds() throws Exception {
        passLimit();
        answerNextQuery(WAITS);
        IOException failure = assertThrows(IOException.class, () -> answerNextQuery(WAITS.clone()));
        assertEquals(
                "No data has moved for 7 min 0 s: agent and controller wait for each other, because a message was"
                        + " lost. Agent: 2.00 MB done, up to 18.0 MB allowed. Controller: 1.00 MB done. Reconnect the"
                        + " agent, then run the build again.",
                failure.getMessage());
    }

    /** The agent searches files for hours, for example. */
    @Test
    void busyAgentFailsTransferOnlyAfterDay() throws Exception {
        passLimit();
        for (int minutes = 5; minutes < 24 * 60 - 1; minutes++) {
            answerNextQuery(BUSY);
        }
        IOException failure = assertThrows(IOException.class, () -> after(SilenceLimit.PAUSE + 1));
        assertTrue(failure.getMessage().startsWith("No data has moved for 24 h 0 min, although the agent answers."));
    }

    /** 5 TB take a day and more, and no byte of them passes the controller. */
    @Test
    void agentMayReadFromAStoreForDays() throws Exception {
        limit.follow(bytes -> lastByte = now, state -> {});
        for (int minutes = 0; minutes < 30 * 60; minutes++) {
            after(SilenceLimit.PAUSE);
            long[] answer = {AgentEnd.BUSY, minutes, minutes};
            queries.forEach(query -> query.complete(answer));
            limit.check();
        }
    }

    /** Without a silence of minutes, and only if nothing moves. */
    @Test
    void stateOfRestingAgentIsNoticed() throws Exception {
        List<Integer> states = new ArrayList<>();
        limit.follow(bytes -> {}, states::add);
        int store = AgentEnd.WAITS_FOR_STORE;
        long[][] answers = {
            BUSY, BUSY, {store, 1, 1}, {store, 2, 2}, {store, 2, 2}, null, {store}, {store, 3, 3}, {store, 3, 3}
        };
        for (long[] answer : answers) {
            queries.get(queries.size() - 1).complete(answer);
            after(TimeUnit.SECONDS.toNanos(10));
        }
        assertEquals(List.of(0, AgentEnd.BUSY, 0, 0, store, 0, 0, 0, store), states);
        after(TimeUnit.SECONDS.toNanos(10));
        assertEquals(AgentEnd.UNKNOWN, states.get(9), "the agent itself is silent");
    }

    /** Requests are repeated for many minutes. */
    @Test
    void slowStoreDoesNotFailTransfer() throws Exception {
        passLimit();
        for (int minutes = 5; minutes < 60; minutes++) {
            answerNextQuery(new long[] {AgentEnd.WAITS_FOR_STORE, 2_000_000, 18_000_000});
        }
    }

    /** An agent that is not trusted may count up for ever, without sending anything. */
    @Test
    void changingAnswersDoNotKeepTransferForEver() throws Exception {
        passLimit();
        assertThrows(IOException.class, () -> {
            for (int minutes = 0; minutes < 24 * 60; minutes++) {
                answerNextQuery(new long[] {AgentEnd.WAITS, minutes, minutes});
            }
        });
    }

    /** An agent that is not trusted may request the same ranges for ever. */
    @Test
    void repeatedRequestsFailTransfer() throws Exception {
        moved = 3_000_000;
        after(1);
        moved++;
        IOException failure = assertThrows(IOException.class, () -> after(1));
        assertTrue(failure.getMessage().startsWith("The agent has requested 3.00 MB, more than four times"));
    }

    /** An agent without the engine cannot be queried, and its search for files may take hours. */
    @Test
    void callWithoutQueriesFailsAfterDay() throws Exception {
        long[] silent = {SilenceLimit.LONGEST - 1};
        SilenceLimit bootstrap = SilenceLimit.withoutQueries(() -> silent[0]);
        bootstrap.check();
        silent[0]++;
        assertThrows(IOException.class, bootstrap::check);
    }

    /** The log of another build is on a disk that hangs, so the data of this transfer waits on the controller. */
    @Test
    void blockedStreamsOfControllerDoNotFailTransfer() throws Exception {
        streamsAreBlocked = true;
        passLimit();
        answerAllQueries(9 * 60);
        streamsAreBlocked = false;
        assertThrows(IOException.class, () -> answerAllQueries(9));
    }

    private void answerAllQueries(int minutes) throws Exception {
        for (int i = 0; i < minutes; i++) {
            after(SilenceLimit.PAUSE);
            queries.forEach(query -> query.complete(WAITS.clone()));
            limit.check();
        }
    }

    /** The connection is dead, and Jenkins' ping is switched off. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void agentThatNeverAnswersFailsTransfer(boolean cannotBeQueried) throws Exception {
        losesTasks = cannotBeQueried;
        passLimit();
        after(SilenceLimit.PAUSE);
        long start = now;
        IOException failure = assertThrows(IOException.class, () -> {
            while (now - start < SilenceLimit.LONGEST / 2) {
                after(SilenceLimit.PAUSE);
            }
        });
        assertTrue(failure.getMessage().contains("the agent does not answer"), failure.getMessage());
        assertTrue(now - start >= 6 * SilenceLimit.LIMIT && now - start < 8 * SilenceLimit.LIMIT, now - start + " ns");
    }

    @Test
    void slowControllerDiskDoesNotFailTransfer() throws Exception {
        busy = true;
        for (int minutes = 0; minutes < 600; minutes++) {
            after(SilenceLimit.PAUSE);
        }
        assertEquals(0, queries.size());
    }

    /** For half an hour; Jenkins' ping closes the connection earlier. */
    @Test
    void suspendedAgentDoesNotFailTransfer() throws Exception {
        passLimit();
        answerNextQuery(WAITS);
        after(SilenceLimit.PAUSE);
        for (int minutes = 0; minutes < 29; minutes++) {
            after(SilenceLimit.PAUSE);
        }
        lastByte = now;
        limit.check();
        queries.forEach(query -> query.complete(WAITS.clone()));
        limit.check();
    }

    /** A link of 64 kbit/s that is mostly used by other builds: a chunk arrives now and then, or the agent's figures change. */
    @Test
    void slowLinkDoesNotFailTransfer() throws Exception {
        passLimit();
        for (long sent = 2_000_000; sent < 4_000_000; sent += 100_000) {
            answerNextQuery(new long[] {AgentEnd.WAITS, sent, 18_000_000});
        }
        lastByte = now;
        int before = queries.size();
        for (int i = 0; i < 100; i++) {
            lastByte += SilenceLimit.LIMIT;
            after(SilenceLimit.LIMIT);
        }
        assertEquals(before, queries.size());
    }

    @Test
    void transferUnknownToAgentFailsOnceItHasStarted() throws Exception {
        passLimit();
        answerNextQuery(UNKNOWN);
        answerNextQuery(UNKNOWN.clone()); // only bootstrap calls have moved data so far
        moved++;
        assertThrows(IOException.class, () -> answerNextQuery(UNKNOWN.clone()));
    }

    /** The agent may run out of memory, or a message may be lost. */
    @Test
    void lostAnswerIsQueriedAgain() throws Exception {
        passLimit();
        after(SilenceLimit.PAUSE);
        after(SilenceLimit.LIMIT);
        assertEquals(1, queries.size());
        answerNextQuery(WAITS);
        assertThrows(IOException.class, () -> answerNextQuery(WAITS.clone()));
    }

    /** The thread pool may lose the task that sends the query. */
    @Test
    void lostQueryIsSubmittedAgain() throws Exception {
        losesTasks = true;
        passLimit();
        after(SilenceLimit.PAUSE);
        losesTasks = false;
        after(SilenceLimit.LIMIT);
        assertEquals(1, queries.size(), "the same query");
        queries.get(0).complete(WAITS);
        limit.check();
        assertThrows(IOException.class, () -> answerNextQuery(WAITS.clone()));
    }

    /** However long: the clock may count the time. */
    @Test
    void suspendedControllerDoesNotFailTransfer() throws Exception {
        passLimit();
        after(SilenceLimit.PAUSE);
        after(SilenceLimit.LONGEST / 2);
        after(SilenceLimit.PAUSE);
    }

    /** A resumed agent has not continued the transfer yet. */
    @Test
    void answerFromBeforeSuspensionDoesNotCount() throws Exception {
        passLimit();
        answerNextQuery(WAITS);
        after(SilenceLimit.PAUSE);
        after(SilenceLimit.LIMIT);
        answerNextQuery(WAITS.clone());
    }

    @Test
    void invalidAnswersAreIgnored() throws Exception {
        passLimit();
        answerNextQuery(new long[] {AgentEnd.WAITS});
        answerNextQuery(new long[] {AgentEnd.WAITS});
        answerNextQuery(null);
        answerNextQuery(null);
        after(SilenceLimit.PAUSE);
        queries.get(queries.size() - 1).completeExceptionally(new IOException("of the agent"));
        limit.check();
    }
}
