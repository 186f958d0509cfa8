package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.remote.FirstFiles;
import io.jenkins.plugins.compressionaware.remote.Selection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent may say of how far it is, and what is left then. */
class FirstAnswerTest {
    /** Each takes five bytes of the names: two lengths and the letter. */
    private static final int NAME = 5;

    private static FirstAnswer answer(int done, boolean others) throws IOException {
        return FirstAnswer.of(ByteBuffer.allocate(FirstFiles.HEAD + 1)
                .putInt(done)
                .put((byte) (others ? 1 : 0))
                .array());
    }

    private static Selection.Named names() throws IOException {
        return Selection.Named.of(Map.of("a", "a", "b", "b", "c", "c")).after(NAME);
    }

    @Test
    void whatIsLeftBeginsWhereItHasStopped() throws Exception {
        assertEquals(
                Map.of("c", "c"),
                answer(2 * NAME, false).rest(names()).in(Path.of("/").toFile()));
        assertEquals(
                Map.of("b", "b", "c", "c"),
                answer(NAME, true).rest(names()).in(Path.of("/").toFile()));
        assertNull(answer(3 * NAME, false).rest(names()));
    }

    @Test
    void ofAStashNothingIsLeft() throws Exception {
        assertNull(answer(7, false).rest(new Selection.Matching(null, null, true)));
    }

    /** It could answer so for ever. */
    @ParameterizedTest
    @ValueSource(ints = {NAME, NAME - 1, 0, -1, 3 * NAME + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void oneThatDoesNotGoOnIsRefused(int done) {
        assertThrows(IOException.class, () -> answer(done, false).rest(names()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, FirstFiles.HEAD - 1, FirstFiles.LONGEST + 1})
    void lengthThatNoAnswerHas(int length) {
        assertThrows(IOException.class, () -> FirstAnswer.of(new byte[length]));
    }

    @Test
    void namesTravelAsTheyAre() throws Exception {
        Map<String, String> files = new TreeMap<>(
                Map.of("\u00e4", "b", "half a character \ud83d", "x", "a\0b", "a\0b", "same", "same", "empty", "x/y"));
        assertEquals(files, Selection.Named.of(files).in(Path.of("/").toFile()));
    }

    /** A map of so many takes 19 MB there and again on its way. */
    @Test
    void manyNamesAreShort() throws Exception {
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            String name = "build/reports/some/where/in/a/tree/of/folders/" + "x".repeat(40) + "/" + i + ".html";
            files.put(name, name);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(Selection.Named.of(files));
        }
        assertEquals(0, bytes.size() / 1_000_000, bytes.size() + " bytes");
    }
}
