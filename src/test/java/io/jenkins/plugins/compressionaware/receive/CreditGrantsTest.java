package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.LaneHook;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CreditGrantsTest {
    @Test
    void senderThatNoLongerListensIsNoFailure() throws Exception {
        AtomicLong told = new AtomicLong();
        CreditGrants grants = new CreditGrants(new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            told.incrementAndGet();
            throw new IOException("Read end dead");
        }));
        grants.consumed(new Credit.Grant(Credit.WINDOW, 0, 0, 0));
        grants.consumed(new Credit.Grant(2 * Credit.WINDOW, 0, 0, 0));
        assertEquals(1, told.get(), "told until the first failure");
    }

    @Test
    void interruptWhileTellingTheSenderIsNotLost() {
        CreditGrants grants = new CreditGrants(new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            throw new InterruptedIOException();
        }));
        assertThrows(InterruptedIOException.class, () -> grants.consumed(new Credit.Grant(Credit.WINDOW, 0, 0, 0)));
        assertTrue(Thread.interrupted());
    }
}
