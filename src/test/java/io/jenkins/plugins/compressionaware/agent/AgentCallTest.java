package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AgentCallTest {
    @Test
    void aFailureWithoutATextHasAReason() {
        assertEquals("java.io.EOFException", AgentCall.reason(new EOFException()));
        assertEquals("no such file", AgentCall.reason(new IOException("no such file")));
    }
}
