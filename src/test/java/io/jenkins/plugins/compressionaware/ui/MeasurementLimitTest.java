package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MeasurementLimitTest {
    /** The time limit may strike while the test ends, and the thread then runs the test of another agent. */
    @Test
    void lateLimitInterruptsNoOtherTest() {
        TransferMeasurement test = new TransferMeasurement(1);
        test.interrupt(Thread.currentThread());
        assertTrue(Thread.currentThread().isInterrupted());
        test.end();
        assertFalse(Thread.currentThread().isInterrupted());
        test.interrupt(Thread.currentThread());
        assertFalse(Thread.interrupted());
    }
}
