package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.remoting.Future;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class AgentCallTest {
    @Test
    void failureWithoutMessageIsDescribedByItsClass() {
        assertEquals("java.io.EOFException", AgentCall.describe(new EOFException()));
        assertEquals("no such file", AgentCall.describe(new IOException("no such file")));
    }

    /** Fails on {@code get()}, because Remoting's implementation answers an interrupt with a write to the channel while it holds locks. */
    private static final class LimitedWaits extends CompletableFuture<String> implements Future<String> {
        private int waits;

        @Override
        public String get() {
            throw new AssertionError("waits without a limit");
        }

        @Override
        public String get(long limit, TimeUnit unit) throws TimeoutException {
            if (waits++ == 0) {
                throw new TimeoutException();
            }
            return "answer";
        }
    }

    @Test
    void longCallIsPolledUntilItReturns() throws Exception {
        assertEquals("answer", new AgentCall<>(new LimitedWaits(), Throwable::toString, null).report());
    }

    /** Remoting's own cancellation could interrupt a thread that writes to the channel. */
    @Test
    void closeDoesNotCancelTheFuture() {
        LimitedWaits running = new LimitedWaits();
        new AgentCall<>(running, Throwable::toString, null).close();
        assertFalse(running.isCancelled());
    }
}
