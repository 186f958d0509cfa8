package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BootstrapCallsTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void engineIsLoadedOnceCallsTakeLongAndSendMuch() {
        assertFalse(BootstrapCalls.isEngineDue(16, 2 << 20, SECOND - 1));
        assertFalse(BootstrapCalls.isEngineDue(16, (2 << 20) - 1, SECOND));
        assertTrue(BootstrapCalls.isEngineDue(16, 2 << 20, SECOND));
    }

    /** A hostile agent lets each call complete one byte of the names. */
    @Test
    void numberOfCallsIsLimited() {
        assertFalse(BootstrapCalls.isEngineDue(99, 0, 0));
        assertTrue(BootstrapCalls.isEngineDue(100, 0, 0));
    }
}
