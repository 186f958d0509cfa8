package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.function.Executable;

/** What is said of failures that are to come. */
public final class Failures {
    private Failures() {}

    /** @param message all of it */
    public static void assertFails(String message, Executable work) {
        assertEquals(message, assertThrows(IOException.class, work).getMessage());
    }

    /** @param words part of the message */
    public static void assertFailsWith(String words, Executable work) {
        String message = assertThrows(IOException.class, work).getMessage();
        assertTrue(message.contains(words), message);
    }
}
