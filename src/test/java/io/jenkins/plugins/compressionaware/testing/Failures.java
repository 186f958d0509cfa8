package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.function.Executable;

/** Assertions on the messages of expected exceptions. */
public final class Failures {
    private Failures() {}

    /** @param message complete message */
    public static void assertFails(String message, Executable work) {
        assertEquals(message, assertThrows(IOException.class, work).getMessage());
    }

    /** @param words part of the message */
    public static void assertFailsWith(String words, Executable work) {
        String message = assertThrows(IOException.class, work).getMessage();
        assertTrue(message.contains(words), message);
    }
}
