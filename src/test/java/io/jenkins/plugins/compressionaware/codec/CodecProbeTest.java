package io.jenkins.plugins.compressionaware.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class CodecProbeTest {
    /** A class whose initialisation has failed says nothing itself. */
    @Test
    void theReasonIsTheInnermostCause() {
        Throwable denied = new IllegalCallerException("Illegal native access from module a");
        Error failed = new ExceptionInInitializerError(denied);
        assertSame(denied, CodecProbe.innermost(failed));
        assertSame(denied, CodecProbe.innermost(new LinkageError("again", failed)));
    }

    @Test
    void causesMayFormACircle() {
        RuntimeException first = new RuntimeException("a");
        RuntimeException second = new RuntimeException("b", first);
        first.initCause(second);
        assertEquals(1, CodecProbe.innermost(first).getMessage().length());
    }
}
