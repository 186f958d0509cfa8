package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A transfer in which neither end will go on fails; whatever merely takes long does not. */
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

    private final SilenceLimit limit = new SilenceLimit(
            () -> now - lastByte,
            () -> moved,
            () -> busy,
            () -> {
                CompletableFuture<long[]> answer = new CompletableFuture<>();
                queries.add(answer);
                return CompletableFuture.completedFuture(answer);
            },
            () -> now);

    private void after(long nanos) throws IOException {
        now += nanos;
        limit.check();
    }

    /** Answers the query that is made now. */
    private void answered(long[] answer) throws IOException {
        int earlier = queries.size();
        after(SilenceLimit.PAUSE);
        assertEquals(earlier + 1, queries.size());
        queries.get(earlier).complete(answer);
        limit.check();
    }

    private void silence() throws IOException {
        after(SilenceLimit.LIMIT - 1);
        assertEquals(0, queries.size());
    }

    @Test
    void twoEqualAnswersFailTheTransferWithBothEndsFigures() throws Exception {
        silence();
        answered(WAITS);
        IOException failure = assertThrows(IOException.class, () -> answered(WAITS.clone()));
        assertEquals(
                "No data has moved for 7 min 0 s: agent and controller wait for each other, because a message was lost."
                        + " Agent: 2.00 MB done, up to 18.0 MB allowed. Controller: 1.00 MB done. Reconnect the agent, then run"
                        + " the build again.",
                failure.getMessage());
    }

    @Test
    void aSlowDiskOfTheAgentIsWaitedFor() throws Exception {
        silence();
        for (int minutes = 0; minutes < 600; minutes++) {
            answered(BUSY);
        }
    }

    @Test
    void aSlowDiskOfTheControllerIsWaitedFor() throws Exception {
        busy = true;
        for (int minutes = 0; minutes < 600; minutes++) {
            after(SilenceLimit.PAUSE);
        }
        assertEquals(0, queries.size());
    }

    @Test
    void aSuspendedAgentIsWaitedFor() throws Exception {
        silence();
        answered(WAITS);
        after(SilenceLimit.PAUSE);
        for (int minutes = 0; minutes < 600; minutes++) {
            after(SilenceLimit.PAUSE);
        }
        lastByte = now;
        limit.check();
        queries.forEach(query -> query.complete(WAITS.clone()));
        limit.check();
    }

    /** 64 kbit/s, of which other builds take the most: a chunk arrives now and then, or the agent's figures change. */
    @Test
    void aSlowLinkIsWaitedFor() throws Exception {
        silence();
        for (long sent = 2_000_000; sent < 4_000_000; sent += 100_000) {
            answered(new long[] {AgentEnd.WAITS, sent, 18_000_000});
        }
        lastByte = now;
        int earlier = queries.size();
        for (int i = 0; i < 100; i++) {
            lastByte += SilenceLimit.LIMIT;
            after(SilenceLimit.LIMIT);
        }
        assertEquals(earlier, queries.size());
    }

    @Test
    void aTransferThatTheAgentHasLostFailsUnlessItHasYetToBegin() throws Exception {
        silence();
        answered(UNKNOWN);
        answered(UNKNOWN.clone()); // all that has moved came before, with the first calls
        moved++;
        assertThrows(IOException.class, () -> answered(UNKNOWN.clone()));
    }

    /** Lost with the memory of the agent, or a message. */
    @Test
    void aLostAnswerIsNotWaitedForForever() throws Exception {
        silence();
        after(SilenceLimit.PAUSE);
        after(SilenceLimit.LIMIT);
        assertEquals(1, queries.size());
        answered(WAITS);
        assertThrows(IOException.class, () -> answered(WAITS.clone()));
    }

    /** It has yet to go on. */
    @Test
    void anAnswerFromBeforeASuspensionDoesNotCount() throws Exception {
        silence();
        answered(WAITS);
        after(SilenceLimit.PAUSE);
        after(SilenceLimit.LIMIT);
        answered(WAITS.clone());
    }

    @Test
    void aHostileAnswerIsNone() throws Exception {
        silence();
        answered(new long[] {AgentEnd.WAITS});
        answered(new long[] {AgentEnd.WAITS});
        answered(null);
        answered(null);
        after(SilenceLimit.PAUSE);
        queries.get(queries.size() - 1).completeExceptionally(new IOException("of the agent"));
        limit.check();
    }
}
