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
        assertEquals("answer", new AgentCall<>(new LimitedWaits(), Throwable::toString, true).report());
    }

    /** An interrupt could hit the thread that writes megabytes to a WebSocket. */
    @Test
    void uninterruptibleCallIsNotCancelled() {
        LimitedWaits running = new LimitedWaits();
        new AgentCall<>(running, Throwable::toString, false).close();
        assertFalse(running.isCancelled());
    }
}
