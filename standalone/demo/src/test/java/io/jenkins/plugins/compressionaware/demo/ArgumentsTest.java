package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArgumentsTest {
    @TempDir
    Path temp;

    @Test
    void withoutAFolderTheSampleIsTaken() {
        Arguments arguments = Arguments.parse("--project=" + temp);
        assertEquals(Optional.empty(), arguments.folder());
        assertEquals(Optional.of(temp), arguments.project());
        assertEquals(Optional.empty(), arguments.repository());
    }

    @Test
    void aFolderIsTaken() {
        assertEquals(Optional.of(temp), Arguments.parse(temp.toString()).folder());
    }

    @Test
    void badArgumentsAreNamed() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        assertRefused("There is no", temp.resolve("missing").toString());
        assertRefused("is not a folder", file.toString());
        assertRefused("Unknown option --fast", "--fast");
        assertRefused("Only one folder", temp.toString(), temp.toString());
        assertRefused("Not a path", "a\0b");
    }

    private static void assertRefused(String message, String... args) {
        String actual = assertThrows(IllegalArgumentException.class, () -> Arguments.parse(args))
                .getMessage();
        assertTrue(actual.contains(message), actual);
    }
}
