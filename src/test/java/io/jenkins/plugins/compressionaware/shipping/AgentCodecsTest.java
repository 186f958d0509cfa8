package io.jenkins.plugins.compressionaware.shipping;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an agent rings for its codec libraries. */
class AgentCodecsTest {
    /** Each byte is a ring. */
    @Test
    void anAgentThatRingsOnAndOnIsOneTask() throws Exception {
        List<Runnable> tasks = new ArrayList<>();
        try (AgentCodecs bell = new AgentCodecs(null, "linux/amd64", tasks::add)) {
            for (int i = 0; i < 100; i++) {
                bell.write(1);
                bell.write(new byte[1 << 16]);
            }
        }
        assertEquals(1, tasks.size());
    }

    /** The channel goes on without them. */
    @Test
    void aThreadThatTheSystemRefuses() throws Exception {
        try (AgentCodecs bell = new AgentCodecs(null, "linux/amd64", task -> {
            throw new OutOfMemoryError("unable to create native thread");
        })) {
            bell.write(1);
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
    }
}
